// Does `diff` print what its golden files say, in every form?
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { runCommandLine } from "../../src/cli.ts";
import { CollectedOutput } from "../support/collected-output.ts";
import { FIXTURES, matchGolden } from "../support/golden.ts";

const DEMO = [join(FIXTURES, "demo"), "--cluster-cidr", "10.244.0.0/16"];
const IPVS = join(FIXTURES, "clusters/v11-source-ranges-without-node");
const SCALED = join(FIXTURES, "transitions/t01-scale-up");
const MOVED = join(FIXTURES, "clusters/v12-external-ips");
const dump = (name: string) => join(FIXTURES, "diff", name);

interface Case {
  readonly name: string;
  readonly args: readonly string[];
  readonly notes: readonly string[];
}

const ONLY_V4 = "note: the dump says nothing of IPv6, which is left out";

const CASES: readonly Case[] = [
  {
    name: "drifted",
    args: [...DEMO, "--against", dump("drifted.dump")],
    notes: [ONLY_V4],
  },
  {
    name: "ipvs",
    args: [join(IPVS, "cluster.yaml"), ...machineOf(IPVS), "--against", dump("ipvs.dump")],
    notes: [ONLY_V4],
  },
  {
    name: "ipvs-to-ipvs",
    args: [join(IPVS, "cluster.yaml"), ...machineOf(IPVS), "--against", join(MOVED, "cluster.yaml")],
    notes: [],
  },
  {
    name: "left-ipvs",
    args: [...DEMO, "--against", dump("left-ipvs.dump")],
    notes: [ONLY_V4],
  },
  {
    name: "scale-up",
    args: [
      join(SCALED, "after.yaml"),
      "--config",
      join(SCALED, "config.yaml"),
      "--against",
      join(SCALED, "before.yaml"),
    ],
    notes: [],
  },
  {
    name: "to-indexed",
    args: [...DEMO, "--iptables-layout", "Indexed", "--against", dump("to-indexed.dump")],
    notes: ["note: the dump has no sets (ipset save), so none are compared", ONLY_V4],
  },
  {
    name: "from-indexed",
    args: [...DEMO, "--against", dump("from-indexed.dump")],
    notes: [ONLY_V4],
  },
  {
    name: "fresh",
    args: [...DEMO, "--against", dump("fresh.dump"), "--nfacct"],
    notes: [ONLY_V4],
  },
];

const FORMS = { text: "txt", unified: "diff", json: "json", restore: "restore" } as const;

for (const { name, args, notes } of CASES) {
  t.test(name, async (t) => {
    for (const [format, ending] of Object.entries(FORMS)) {
      const answer = await ask(...args, "-o", format);
      matchGolden(t, join(FIXTURES, "diff", `${name}.${ending}`), answer.text);
      t.equal(answer.code, 1, `${format}: there is something to do`);
      const kept = answer.notes.filter((note) => !note.includes(" stays, empty, because of: "));
      t.strictSame(kept, notes, `${format}: notes`);
      t.equal(answer.notes.length - kept.length, name === "drifted" && /unified|restore/.test(format) ? 1 : 0);
    }
  });
}

function machineOf(folder: string): readonly string[] {
  return ["--config", join(folder, "config.yaml"), "--node-facts", join(folder, "node-facts.yaml")];
}

async function ask(...args: readonly string[]) {
  const output = new CollectedOutput();
  const code = await runCommandLine(["diff", ...args], output);
  return { code, text: output.text, notes: output.notes };
}

/** A file with this content, for as long as the test runs. */
function fileOf(t: Test, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "file"), content);
  return join(folder, "file");
}

t.test("nothing to do, against what render prints and against the same manifests", async (t) => {
  const output = new CollectedOutput();
  await runCommandLine(["render", ...DEMO], output);
  const same = { code: 0, text: "", notes: ["note: nothing to do"] };
  t.strictSame(await ask(...DEMO, "--against", fileOf(t, output.text)), same);
  t.strictSame(await ask(...DEMO, "--against", join(FIXTURES, "demo")), same);
  const { text } = await ask(...DEMO, "--against", join(FIXTURES, "demo"), "-o", "json");
  t.equal(text, '{\n  "differs": false,\n  "differences": [],\n  "kept": []\n}\n');
});

t.test("one Service alone, or one port of it", async (t) => {
  const args = [...DEMO, "--against", dump("drifted.dump")];
  const { text, code } = await ask(...args, "--service", "demo/web");
  t.equal(code, 1);
  t.strictSame(text.match(/^#.*$/gm), ["# IPv4 Service demo/web"]);
  t.equal((await ask(...args, "--service", "demo/web:http")).text, text);
  const old = await ask(...args, "--service", "demo/old", "-o", "unified");
  t.match(old.text, /^-.* "demo\/old:http cluster IP"/m);
  t.notMatch(old.text, /^[-+][^-+].*demo\/web/m);
  t.strictSame(await ask(...args, "--service", "demo/we"), {
    code: 0,
    text: "",
    notes: [ONLY_V4, "note: nothing to do"],
  });
});

t.test("what one tool has to do, fit for a pipe", async (t) => {
  const args = [join(IPVS, "cluster.yaml"), ...machineOf(IPVS), "--against", dump("ipvs.dump"), "-o", "restore"];
  t.equal(
    (await ask(...args, "--section", "ipset")).text,
    `create KUBE-LOAD-BALANCER-LOCAL hash:ip,port family inet hashsize 1024 maxelem 65536
del KUBE-CLUSTER-IP 10.96.1.77,tcp:443
add KUBE-CLUSTER-IP 10.96.1.5,tcp:443
`,
  );
  t.equal((await ask(...args, "--section", "ip6tables")).text, "");
});

t.test("parts that a dump does not have are not compared, and that is told", async (t) => {
  const args = [join(IPVS, "cluster.yaml"), ...machineOf(IPVS), "--ip-family", "ipv4"];
  const text = readFileSync(dump("ipvs.dump"), "utf8");
  const sets = text.split("\n").filter((line) => /^(?:create|add) /.test(line));
  const answer = await ask(...args, "--against", fileOf(t, sets.join("\n")));
  t.strictSame(answer.notes, [
    "note: the dump has no rules (iptables-save), so none are compared",
    "note: the dump has no virtual servers (ipvsadm -Sn), so none are compared",
  ]);
  t.notMatch(answer.text, /^(?:ipvs|nat|filter|addresses) /m);
  t.match(answer.text, /^ipset KUBE-CLUSTER-IP$/m);
  const rules = await ask(...DEMO, "--against", dump("drifted.dump"), "--ip-family", "ipv4");
  t.strictSame(rules.notes, [], "in iptables mode there is nothing else");
});

t.test("what cannot be read is told in one line, with 2", async (t) => {
  const cases: readonly [string, readonly string[], RegExp][] = [
    ["no such file", ["--against", "/nowhere"], /^fairlead: \/nowhere: cannot be read: no such file or directory$/],
    ["an empty file", ["--against", fileOf(t, " \n")], /file: is empty: neither a dump nor a manifest$/],
    [
      "a dump with a fault",
      ["--against", fileOf(t, "*nat\nCOMMIT\nx\n")],
      /file: line 3: not a line of iptables-save, .*: x$/,
    ],
    [
      "a manifest that is none",
      ["--against", fileOf(t, "kind: {")],
      /file: document 1: invalid YAML: line 1, column 8/,
    ],
    ["standard input twice", ["-", "--against", "-"], /--against: standard input can be read only once/],
    ["a part of another form", ["--section", "ipset"], /--section goes with -o restore only/],
    ["a Service to restore", ["--service", "a/b", "-o", "restore"], /--service does not go with -o restore/],
    ["a form nobody knows", ["-o", "xml"], /Invalid values/],
  ];
  for (const [name, args, message] of cases) {
    const { code, notes } = await ask(...DEMO, ...args);
    t.equal(code, 2, name);
    t.match(notes.join("\n"), message, name);
  }
});

t.test("what comes from standard input must be a dump", async (t) => {
  const args = ["--import=tsx", "src/main.ts", "diff", ...DEMO, "--ip-family", "ipv4", "--against", "-"];
  const say = (input: string) => spawnSync(process.execPath, args, { input, encoding: "utf8" });
  t.match(say("kind: Service"), { status: 2, stderr: /fairlead: -: is no dump$/m });
  t.match(say("*nat\nCOMMIT\n*filter\nCOMMIT\n"), { status: 1, stdout: /^nat KUBE-SERVICES \(new\)$/m });
});

t.test("a table that the dump does not show is named and not compared, and the answer is never fine", async (t) => {
  const dumps: readonly [string, string][] = [
    ["*nat\nCOMMIT\n", "unknown: no filter table in the dump (IPv4); not compared"],
    [
      "*nat\nCOMMIT\n*filter\n:INPUT ACCEPT [0:0]\n",
      "unknown: the filter table in the dump is truncated (no COMMIT) (IPv4); not compared",
    ],
    [
      "*nat\n:INPUT ACCEPT [0:0]\n",
      "unknown: line 1: the nat table in the dump is truncated (no COMMIT); not compared",
    ],
  ];
  for (const [text, note] of dumps) {
    const { code, notes, text: told } = await ask(...DEMO, "--ip-family", "ipv4", "--against", fileOf(t, text));
    t.equal(code, 2, note);
    t.ok(notes.includes(note), note);
    t.notMatch(told, /^filter /m, note);
  }
});

t.test("bad objects on this side are told and make the answer unsure", async (t) => {
  const bad = fileOf(t, "apiVersion: v1\nkind: Service\nmetadata: {name: Bad_Name}\n");
  const { code, notes } = await ask(...DEMO, bad, "--against", join(FIXTURES, "demo"));
  t.equal(code, 2);
  t.match(notes.join("\n"), /^error: .*document 1: .*metadata\.name/m);
});
