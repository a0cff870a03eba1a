// Does `render -o json` and `-o yaml` say what the text says, and why?
import { join } from "node:path";
import t from "tap";
import { parse } from "yaml";
import { runCommandLine } from "../../src/cli.ts";
import { CollectedOutput } from "../support/collected-output.ts";
import { FIXTURES, matchGolden } from "../support/golden.ts";

const IPVS = join(FIXTURES, "clusters/v11-source-ranges-without-node");
const CASES = {
  demo: [join(FIXTURES, "demo"), "--cluster-cidr", "10.244.0.0/16", "--ip-family", "ipv4"],
  ipvs: [
    join(IPVS, "cluster.yaml"),
    "--config",
    join(IPVS, "config.yaml"),
    "--service",
    "shop/pub",
    "--ip-family",
    "ipv4",
  ],
  indexed: [
    join(FIXTURES, "wide/cluster.yaml"),
    "--config",
    join(FIXTURES, "wide/config.yaml"),
    "--service",
    "wide/near",
    "--ip-family",
    "ipv4",
  ],
};

async function ask(...args: readonly string[]) {
  const output = new CollectedOutput();
  const code = await runCommandLine(["render", ...args], output);
  return { code, text: output.text, notes: output.notes };
}

interface Rendered {
  readonly families: readonly {
    readonly tables: readonly {
      readonly chains: readonly { readonly rules: readonly { readonly line: string }[] }[];
    }[];
  }[];
}

for (const [name, args] of Object.entries(CASES)) {
  t.test(name, async (t) => {
    const json = await ask(...args, "-o", "json");
    matchGolden(t, join(FIXTURES, "render", `${name}.json`), json.text);
    const yaml = await ask(...args, "-o", "yaml");
    matchGolden(t, join(FIXTURES, "render", `${name}.yaml`), yaml.text);
    const data: Rendered = JSON.parse(json.text);
    t.strictSame(parse(yaml.text), data);
    const rules = data.families.flatMap(({ tables }) =>
      tables.flatMap(({ chains }) => chains.flatMap((chain) => chain.rules.map(({ line }) => line))),
    );
    const { text } = await ask(...args, "--section", "iptables");
    t.strictSame(
      rules.toSorted(),
      text
        .split("\n")
        .filter((line) => line.startsWith("-A"))
        .sort(),
    );
  });
}

t.test("a picture", async (t) => {
  const { code, text } = await ask(...CASES.demo, "--service", "demo/web", "-o", "mermaid");
  t.equal(code, 0);
  t.match(text, /KUBE-SVC-/);
});

t.test("what goes with text only", async (t) => {
  for (const flags of [["--section", "iptables"], ["--explain"]]) {
    const { code, notes } = await ask(...CASES.demo, "-o", "json", ...flags);
    t.equal(code, 2);
    t.match(notes, [/ goes with -o text only/]);
  }
});
