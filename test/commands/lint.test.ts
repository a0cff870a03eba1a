// Checks the output of `lint` for people, programs and GitHub, and its exit codes.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { runCommandLine } from "../../src/cli.ts";
import { type LocatedFinding, printFindings } from "../../src/commands/lint-print.ts";
import { CollectedOutput } from "../support/collected-output.ts";
import { FIXTURES, matchGolden } from "../support/golden.ts";

async function runLint(...args: string[]) {
  const output = new CollectedOutput();
  const code = await runCommandLine(["lint", ...args], output);
  return { code, text: output.text, notes: output.notes };
}

const FILE = join(FIXTURES, "lint/no-endpoints.yaml");

t.test("JSON output has every part of a finding under its own key", async (t) => {
  const { code, text } = await runLint(FILE, "-o", "json");
  t.equal(code, 1);
  const { findings, ...report } = JSON.parse(text);
  t.strictSame(report, { apiVersion: "fairlead/v1", kind: "LintReport", examined: { services: 3, source: "1 file" } });
  const [first, ...others] = findings;
  t.strictSame(first, {
    id: "no-endpoints",
    severity: "warning",
    object: "Service no-endpoints/empty",
    field: "spec.ports",
    message: "the Service has no endpoints",
    consequence: "connections are rejected",
    remedy: "check that the selector matches running pods, or add an EndpointSlice",
    file: FILE,
    document: 2,
    line: 26,
  });
  t.equal(others.length, 1);
  const nodes = await runLint(join(FIXTURES, "demo/node.yaml"), "--output=json", "--allow-empty");
  t.equal(nodes.code, 0);
  t.match(JSON.parse(nodes.text), { examined: { services: 0 }, findings: [] });
});

const NO_NODE = "note: no --node, so no endpoint is local and no zone is known";

t.test("files that are no Kubernetes objects are notes, and findings with --strict", async (t) => {
  const service =
    "apiVersion: v1\nkind: Service\nmetadata: {namespace: demo, name: web}\nspec: {type: ExternalName, externalName: a.example}\n";
  const folder = t.testdir({
    "a.yaml": service,
    "b.yaml": service,
    "service.yaml": "kind: Service\nmetadata:\n  name: {{ .Release.Name }}\n",
    "values.yaml": "replicas: 2\n",
  });
  const lax = await runLint(folder);
  t.equal(lax.code, 0);
  t.match(lax.notes, [
    /^note: .*a\.yaml: document 1: Service demo\/web: defined again in .*b\.yaml/,
    `note: skipped 1 document without apiVersion and kind: ${folder}/values.yaml`,
    `note: skipped 1 unrendered template: ${folder}/service.yaml; render them first, for example "helm template`,
    NO_NODE,
  ]);
  const strict = await runLint(folder, "--strict", "-o", "json");
  t.equal(strict.code, 2);
  t.match(strict.notes, [/^note: .*a\.yaml: document 1: Service demo\/web: defined again/, NO_NODE], "as before");
  t.match(
    JSON.parse(strict.text).findings.map(({ id, file }: Record<string, string>) => [id, file]),
    [
      ["unreadable", `${folder}/service.yaml`],
      ["unreadable", `${folder}/values.yaml`],
    ],
  );
});

t.test("GitHub output has one annotation per finding", async (t) => {
  const { code, text } = await runLint(FILE, "-o", "github");
  t.equal(code, 1);
  t.equal(
    text.split("\n")[0],
    `::warning file=${FILE},line=26,title=no-endpoints::Service no-endpoints/empty: spec.ports: the Service has no endpoints; effect: connections are rejected; fix: check that the selector matches running pods, or add an EndpointSlice`,
  );
});

t.test("special characters in an annotation are escaped", (t) => {
  const odd: LocatedFinding = {
    ...{ id: "odd", severity: "error", object: "", field: "", message: "100%\r\n", consequence: "x", remedy: "y" },
    ...{ file: "a:b,c.yaml", document: 1, line: 0 },
  };
  t.strictSame(
    [...printFindings([odd, { ...odd, file: "" }], "github", { services: 1, source: "2 files" })],
    [
      "::error file=a%3Ab%2Cc.yaml,title=odd::100%25%0D%0A; effect: x; fix: y",
      "::error title=odd::100%25%0D%0A; effect: x; fix: y",
    ],
  );
  t.end();
});

t.test("invalid input ends with exit code 2", async (t) => {
  const { code, text } = await runLint("/nowhere.yaml", FILE);
  t.equal(code, 2);
  t.match(
    text,
    /^\/nowhere\.yaml: error: no such file or directory \[unreadable\]\n {2}effect: none of its objects are used\n/m,
  );
  t.match(await runLint(), { code: 2, notes: [/no input: pass a file/] });
  t.match(await runLint("--proxy-mode=nftables", FILE), { code: 2, notes: [/mode nftables is not supported/] });
});

t.test("notes name the missing node, and with -v each ignored object", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "x.yaml");
  writeFileSync(path, "apiVersion: v1\nkind: Secret\n");
  const empty = await runLint(path, "--allow-empty");
  t.match(empty, { code: 0, text: "no findings (0 Services in 1 file checked)\n", notes: [/no --node/] });
  const verbose = await runLint(path, "-v", "--node", "a", "--allow-empty");
  t.match(verbose.notes, [/x\.yaml: document 1: kind "Secret".* is not used/]);
});

t.test("--ip-family limits findings to one family", async (t) => {
  const dual = join(FIXTURES, "lint/family-without-endpoints.yaml");
  t.equal((await runLint(dual, "--ip-family", "ipv4")).code, 0);
  t.match((await runLint(dual, "--ip-family", "ipv6")).text, /\[family-without-endpoints\]/);
});

const ALL = readdirSync(join(FIXTURES, "lint"))
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => join(FIXTURES, "lint", name));

t.test("many files are read as one cluster", async (t) => {
  const { code, text, notes } = await runLint(...ALL);
  t.equal(code, 2);
  matchGolden(t, join(FIXTURES, "lint/all-files.txt"), text.replaceAll(FIXTURES, ""));
  t.match(notes.at(-1), /no --node/);
});

t.test(
  "many files have the findings of each file, and findings about Nodes of one file and Services of another",
  async (t) => {
    const alone = new Set<string>();
    for (const path of ALL) for (const finding of await printedFindings(path)) alone.add(finding);
    const together = await printedFindings(...ALL);
    t.strictSame(
      [...alone].filter((finding) => !together.includes(finding)),
      [],
      "no finding is missing",
    );
    // The manifest of `hints-without-zone` has the only Node in zone z3.
    const more = [
      "hints-incomplete/well",
      "node-without-zone/front",
      "topology-annotation/front",
      "topology-annotation/off",
    ];
    t.strictSame(
      together.filter((finding) => !alone.has(finding)).map((finding) => /^[^:]*:[^:]*/.exec(finding)?.[0]),
      more.map((name) => `hints-without-zone: Service ${name}`),
    );
  },
);

async function printedFindings(...paths: readonly string[]): Promise<readonly string[]> {
  const { text } = await runLint(...paths, "--node", "worker-a", "-o", "json");
  const { findings }: { readonly findings: readonly LocatedFinding[] } = JSON.parse(text);
  return findings.map(({ id, object, ...rest }) => `${id}: ${object}: ${JSON.stringify(rest)}`);
}
