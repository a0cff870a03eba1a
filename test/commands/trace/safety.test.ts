// Tests that the trace command reports what it could not see.

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { z } from "zod";
import { runCommandLine } from "../../../src/cli.ts";
import { CollectedOutput } from "../../support/collected-output.ts";
import { FIXTURES } from "../../support/golden.ts";
import { SOURCES } from "../../support/program.ts";

const SERVICES = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: worker-a}, status: {addresses: [{type: InternalIP, address: 192.0.2.11}]}}
- {apiVersion: v1, kind: Node, metadata: {name: worker-b}, status: {addresses: [{type: InternalIP, address: 192.0.2.12}]}}
- apiVersion: v1
  kind: Service
  metadata: {namespace: demo, name: inside}
  spec: {clusterIP: 10.96.0.10, clusterIPs: [10.96.0.10], ipFamilies: [IPv4], ports: [{port: 80}]}
- apiVersion: v1
  kind: Service
  metadata: {namespace: demo, name: alias}
  spec: {type: ExternalName, externalName: demo.example}
- apiVersion: v1
  kind: Service
  metadata: {namespace: demo, name: port}
  spec: {type: NodePort, clusterIP: 10.96.0.11, clusterIPs: [10.96.0.11], ipFamilies: [IPv4], ports: [{port: 80, nodePort: 30080}]}
- apiVersion: v1
  kind: Service
  metadata: {namespace: demo, name: two}
  spec:
    type: LoadBalancer
    clusterIP: 10.96.0.12
    clusterIPs: [10.96.0.12]
    ipFamilies: [IPv4]
    externalIPs: [198.51.100.7]
    loadBalancerSourceRanges: [198.51.100.0/24]
    ports: [{port: 80, nodePort: 30081}]
  status: {loadBalancer: {ingress: [{ip: 203.0.113.20}]}}
- {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {namespace: demo, name: inside-1, labels: {kubernetes.io/service-name: inside}}, addressType: IPv4, ports: [{port: 8080}], endpoints: [{addresses: [10.244.0.5], nodeName: worker-a}]}
- {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {namespace: demo, name: port-1, labels: {kubernetes.io/service-name: port}}, addressType: IPv4, ports: [{port: 8080}], endpoints: [{addresses: [10.244.0.6], nodeName: worker-a}]}
- {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {namespace: demo, name: two-1, labels: {kubernetes.io/service-name: two}}, addressType: IPv4, ports: [{port: 8080}], endpoints: [{addresses: [10.244.0.7], nodeName: worker-a}]}
`;

const CASE = (rest: string) =>
  `manifests: [services.yaml]\nnode: worker-a\ncases:\n- {name: a, from: external, ${rest}}\n`;

const FILES: Readonly<Record<string, string>> = {
  "services.yaml": SERVICES,
  "values.yaml": "replicas: 3\n",
  "invalid.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: 5\n",
  "unparsable.yaml": "apiVersion: v1\nkind: [\n",
  "nat.save":
    "*nat\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -d 10.96.0.10/32 -p tcp -m tcp --dport 80 -j DNAT --to-destination 10.244.0.5:8080\nCOMMIT\n",
  "denied.save":
    "iptables-save v1.8.9 (nf_tables): Could not fetch rule set generation id: Permission denied (you must be root)\n",
  "empty.yaml": "",
  "no-cases.yaml": "manifests: [services.yaml]\ncases: []\n",
  "good.yaml": CASE("to: service/demo/port, reaches: ['10.244.0.6:8080']"),
  "via.yaml": CASE("to: service/demo/two, via: nodePort, reaches: ['10.244.0.7:8080']"),
  "via-address.yaml": CASE("to: 10.96.0.12:80, via: nodePort, reaches: ['10.244.0.7:8080']"),
  "unreachable.yaml": CASE("to: service/demo/inside, unreachable: true"),
  "reachable.yaml": CASE("to: service/demo/port, unreachable: true"),
  "inside.yaml": CASE("to: service/demo/inside, reaches: ['10.244.0.5:8080']"),
  "two.yaml": CASE("to: service/demo/two, reaches: ['10.244.0.7:8080']"),
  "misspelt.yaml": CASE("to: service/demo/insid, reaches: ['10.244.0.5:8080']"),
  "other-node.yaml": CASE("to: service/demo/port, dropped: true").replace("worker-a", "worker-aa"),
  "gone.yaml": CASE("to: service/demo/port, dropped: true").replace("services.yaml", "gone/services.yaml"),
  "bad-yaml.yaml": CASE("to: service/demo/port, dropped: true").replace("services.yaml", "unparsable.yaml"),
  "bad-object.yaml": CASE("to: service/demo/port, reaches: ['10.244.0.6:8080']").replace(
    "[services.yaml]",
    "[services.yaml, invalid.yaml]",
  ),
  "no-service.yaml": CASE("to: 10.96.0.10:80, dropped: true")
    .replace("services.yaml", "values.yaml")
    .replace("node: worker-a\n", ""),
};

const folder = mkdtempSync(join(tmpdir(), "fairlead-"));

t.teardown(() => rmSync(folder, { recursive: true }));

for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);

const home = process.cwd();

process.chdir(folder);

t.teardown(() => process.chdir(home));

async function run(args: readonly string[]) {
  const output = new CollectedOutput();
  const code = await runCommandLine(args, output);
  return { code, stdout: output.text, stderr: output.notes.map((note) => `${note}\n`).join("") };
}

/** The same by the program itself. */
function start(args: readonly string[], cwd: string) {
  const [node = "", , main = ""] = SOURCES;
  const tsx = `--import=${import.meta.resolve("tsx")}`;
  const { status, stdout, stderr } = spawnSync(node, [tsx, main, ...args], { cwd, encoding: "utf8", timeout: 120_000 });
  return { code: status, stdout, stderr };
}

interface Expected {
  readonly args: readonly string[];
  readonly code: 0 | 1 | 2;
  readonly stdout: RegExp | "";
  readonly stderr?: RegExp;
}

async function check(t: Test, { args, code, stdout, stderr = /^/ }: Expected): Promise<void> {
  const answer = await run(args);
  t.equal(answer.code, code, `exit code: ${answer.stderr}`);
  if (stdout === "") t.equal(answer.stdout, "");
  else t.match(answer.stdout, stdout);
  t.match(answer.stderr, stderr);
}

const TRACE: Readonly<Record<string, Omit<Expected, "args"> & { readonly args: readonly string[] }>> = {
  "a dump of the nat table alone gives no verdict": {
    args: ["--rules", "nat.save", "--node-address", "192.0.2.11", "--from", "10.0.0.1", "--to", "10.96.0.10:80"],
    code: 1,
    stdout: /^unknown: no filter table in the dump; add the output of "iptables-save -t filter" \(--rules FILE\)\n/,
  },
  "a dump that is an error message asks for root": {
    args: ["--rules", "denied.save", "--from", "10.0.0.1", "--to", "10.96.0.10:80"],
    code: 2,
    stdout: "",
    stderr: /denied\.save: line 1: an error message instead of rules; save them again, as root: /,
  },
  "a dump that does not exist": {
    args: ["--rules", "gone.save", "--from", "10.0.0.1", "--to", "10.96.0.10:80"],
    code: 2,
    stdout: "",
    stderr: /gone\.save/,
  },
  "a manifest that does not exist": {
    args: ["gone.yaml.d", "--from", "10.0.0.1", "--to", "10.96.0.10:80"],
    code: 2,
    stdout: /^/,
    stderr: /^error: gone\.yaml\.d: /m,
  },
  "an input without any Service": {
    args: ["values.yaml", "--from", "10.0.0.1", "--to", "10.96.0.10:80"],
    code: 2,
    stdout: "",
    stderr: /no Service in the input .*--allow-empty/,
  },
  "a misspelt Service gets the nearest name": {
    args: ["services.yaml", "--node", "worker-a", "--from", "10.0.0.1", "--to", "service/demo/insid"],
    code: 2,
    stdout: "",
    stderr: /--to: no Service "demo\/insid"; did you mean "demo\/inside"\?/,
  },
  "a misspelt node gets the nearest name": {
    args: ["services.yaml", "--node", "worker-aa", "--from", "10.0.0.1", "--to", "service/demo/inside"],
    code: 2,
    stdout: "",
    stderr: /--node: no Node "worker-aa" in the input; did you mean "worker-a"\?/,
  },
  "from outside, a ClusterIP Service is not reachable": {
    args: ["services.yaml", "--node", "worker-a", "--from", "external", "--to", "service/demo/inside"],
    code: 0,
    stdout: /^not reachable from outside: Service demo\/inside has no load-balancer IP, external IP or node port\n$/,
  },
  "from outside, an ExternalName Service is not reachable": {
    args: ["services.yaml", "--node", "worker-a", "--from=external", "--to=service/demo/alias", "-o", "json"],
    code: 0,
    stdout:
      /"outcome": "unreachable",\n +"reason": "Service demo\/alias is of type ExternalName: it has no cluster IP"/,
  },
  "there is no picture of a Service that is not reachable": {
    args: ["services.yaml", "--node", "worker-a", "--from=external", "--to=service/demo/inside", "-o", "svg"],
    code: 2,
    stdout: "",
    stderr: /-o svg has nothing to draw: not reachable from outside: /,
  },
  "from outside, a Service without external addresses is traced by its node port": {
    args: ["services.yaml", "--node", "worker-a", "--from", "external", "--to", "service/demo/port"],
    code: 0,
    stdout: /^TCP from 198\.18\.0\.9 to 192\.0\.2\.11:30080,/,
  },
  "node ports are traced at an address where they are served": {
    args: ["services.yaml", "--node=worker-a", "--from=external", "--to=service/demo/port"].concat([
      "--nodeport-addresses=198.51.100.0/24",
      "--node-address=eth0=192.0.2.11",
      "--node-address=eth1=198.51.100.8",
    ]),
    code: 0,
    stdout: /^TCP from 198\.18\.0\.9 to 198\.51\.100\.8:30080,/,
  },
  "from outside, all external addresses are traced": {
    args: ["services.yaml", "--node", "worker-a", "--from", "external", "--to", "service/demo/two"],
    code: 0,
    stdout:
      /^TCP from \S+ to 203\.0\.113\.20:80,[\s\S]*dropped by[\s\S]*^TCP from \S+ to 198\.51\.100\.7:80,[\s\S]*10\.244\.0\.7:8080/m,
  },
  "several traces are not drawn as one picture": {
    args: ["services.yaml", "--node", "worker-a", "--from", "external", "--to", "service/demo/two", "-o", "mermaid"],
    code: 2,
    stdout: "",
    stderr: /-o mermaid draws one trace, .*: say --to 203\.0\.113\.20:80, 198\.51\.100\.7:80/,
  },
  "--via chooses the address of a Service": {
    args: ["services.yaml", "--node=worker-a", "--from=external", "--to=service/demo/two", "--via=externalIP"],
    code: 0,
    stdout: /^TCP from \S+ to 198\.51\.100\.7:80,(?![\s\S]*203\.0\.113\.20)/,
  },
  "--via an address that the Service does not have": {
    args: ["services.yaml", "--node=worker-a", "--from=external", "--to=service/demo/port", "--via=loadBalancerIP"],
    code: 2,
    stdout: "",
    stderr: /Service demo\/port has no loadBalancerIP; it has clusterIP, nodePort/,
  },
  "--via with an address": {
    args: ["services.yaml", "--node=worker-a", "--from=external", "--to=10.96.0.10:80", "--via=nodePort"],
    code: 2,
    stdout: "",
    stderr: /--via nodePort needs a Service: service\/NAMESPACE\/NAME\[:PORT\]/,
  },
};

for (const [name, { args, ...expected }] of Object.entries(TRACE)) {
  t.test(`trace: ${name}`, async (t) => check(t, { args: ["trace", ...args], ...expected }));
}

const TEST: Readonly<Record<string, Expected>> = {
  "all cases pass": { args: ["good.yaml", "via.yaml", "unreachable.yaml"], code: 0, stdout: /^6 passed, 0 failed$/m },
  "a ClusterIP Service is not reached from outside": {
    args: ["inside.yaml"],
    code: 1,
    stdout: /^FAIL a \(ipvs\)\n.*\n {5}not reachable from outside: Service demo\/inside has no load-balancer IP/m,
  },
  "a Service that should not be reachable is": {
    args: ["reachable.yaml"],
    code: 1,
    stdout: /^ {5}reaches 10\.244\.0\.6:8080$/m,
  },
  "a case must hold for each external address": {
    args: ["two.yaml"],
    code: 1,
    stdout:
      /^ {5}to 203\.0\.113\.20:80: dropped by [\s\S]*^ {7}found: to 198\.51\.100\.7:80: 100 % 10\.244\.0\.7:8080$/m,
  },
  "a misspelt Service fails the case with the nearest name": {
    args: ["misspelt.yaml"],
    code: 1,
    stdout: /no Service "demo\/insid"; did you mean "demo\/inside"\?/,
  },
  "via goes with a Service": {
    args: ["via-address.yaml"],
    code: 2,
    stdout: /^ERROR .*^0 passed, 0 failed, 1 file with unusable input$/ms,
    stderr: /via-address\.yaml:4: cases\[0\]\.via: goes with service\/NAMESPACE\/NAME only/,
  },
  "an empty case file": {
    args: ["empty.yaml"],
    code: 2,
    stdout: /^ERROR empty\.yaml/,
    stderr: /empty\.yaml: is empty/,
  },
  "a file with no case": { args: ["no-cases.yaml"], code: 2, stdout: /^ERROR /, stderr: /cases: must not be empty/ },
  "a case file that does not exist, beside a good one": {
    args: ["absent.yaml", "good.yaml"],
    code: 2,
    stdout: /^2 passed, 0 failed, 1 file with unusable input$/m,
    stderr: /^error: absent\.yaml/m,
  },
  "a node that is not in the input": {
    args: ["other-node.yaml"],
    code: 2,
    stdout: /^0 passed, 0 failed, 1 file with unusable input$/m,
    stderr: /other-node\.yaml: node: no Node "worker-aa" in the input; did you mean "worker-a"\?/,
  },
  "--node that is not in the input": {
    args: ["good.yaml", "--node", "worker-c"],
    code: 2,
    stdout: /^ERROR good\.yaml has unusable input$/m,
    stderr: /--node: no Node "worker-c" in the input; did you mean "worker-a"\?/,
  },
  "a manifest that does not exist": { args: ["gone.yaml"], code: 2, stdout: /^ERROR /, stderr: /gone\/services\.yaml/ },
  "a manifest that cannot be parsed": {
    args: ["bad-yaml.yaml"],
    code: 2,
    stdout: /^ERROR /,
    stderr: /unparsable\.yaml/,
  },
  "an invalid Service": { args: ["bad-object.yaml"], code: 2, stdout: /^ERROR /, stderr: /invalid\.yaml: .*spec/ },
  "an invalid Service, with --keep-going": {
    args: ["bad-object.yaml", "--keep-going"],
    code: 2,
    stdout: /^ERROR .*^2 passed, 0 failed, 1 file with unusable input$/ms,
  },
  "manifests without any Service": {
    args: ["no-service.yaml"],
    code: 2,
    stdout: /^ERROR /,
    stderr: /no Service in the input .*--allow-empty/,
  },
  "unusable input as TAP": {
    args: ["good.yaml", "other-node.yaml", "-o", "tap"],
    code: 2,
    stdout: /^1\.\.3\n[\s\S]*^not ok 3 - other-node\.yaml has unusable input\n[\s\S]*no Node/m,
  },
  "unusable input as JUnit XML": {
    args: ["good.yaml", "other-node.yaml", "-o", "junit"],
    code: 2,
    stdout: /<testsuites tests="3" failures="0" errors="1">[\s\S]*<error message="other-node\.yaml: node: no Node/,
  },
  "unusable input as GitHub annotations": {
    args: ["other-node.yaml", "via-address.yaml", "misspelt.yaml", "-o", "github"],
    code: 2,
    stdout: /^::error file=other-node\.yaml,title=[^\n]*no Node [\s\S]*^::error file=via-address\.yaml,line=4,title=/m,
  },
  "a flag as the cause, as a GitHub annotation": {
    args: ["good.yaml", "--node", "worker-c", "-o", "github"],
    code: 2,
    stdout: /^::error file=good\.yaml,title=good\.yaml has unusable input::--node: no Node/m,
  },
};

for (const [name, { args, ...expected }] of Object.entries(TEST)) {
  t.test(`test: ${name}`, async (t) => check(t, { args: ["test", ...args], ...expected }));
}

const Report = z.object({
  apiVersion: z.literal("fairlead/v1"),
  kind: z.literal("TestReport"),
  passed: z.number(),
  failed: z.number(),
  cases: z.array(z.object({ name: z.string(), passed: z.boolean() })),
  unusable: z.array(z.object({ file: z.string(), problems: z.array(z.string()) })),
});

t.test("the program itself exits with 1 for an unknown outcome and with 2 for unusable input", async (t) => {
  const asked = ["trace", "--node-address", "192.0.2.11", "--from", "10.0.0.1", "--to", "10.96.0.10:80", "--rules"];
  const unknown = start([...asked, "nat.save"], folder);
  t.equal(unknown.code, 1);
  t.match(unknown.stdout, /^unknown: no filter table in the dump; /);
  t.strictSame(start([...asked, "denied.save"], folder).code, 2);
});

t.test("test: as JSON the numbers, the cases and the unusable input agree", async (t) => {
  const { code, stdout } = await run(["test", "good.yaml", "inside.yaml", "empty.yaml", "-o", "json"]);
  const { passed, failed, cases, unusable } = Report.parse(JSON.parse(stdout));
  t.strictSame([code, passed, failed, cases.length], [2, 2, 2, 4]);
  t.strictSame(unusable, [{ file: "empty.yaml", problems: ["empty.yaml: is empty"] }]);
});

t.test("test: the policy of ci-example/broken fails the case of the Service, with the reason", async (t) => {
  const copy = join(folder, "ci-example");
  cpSync(join(FIXTURES, "ci-example"), copy, { recursive: true });
  cpSync(join(copy, "broken"), join(copy, "manifests"), { recursive: true });
  const { code, stdout } = start(["test", "cases.yaml", "--cluster-cidr", "10.244.0.0/16"], copy);
  t.equal(code, 1);
  t.match(
    stdout,
    /^FAIL a visitor comes in by the load balancer \(iptables\)\n.*\n {5}dropped by .*the policy is Local/m,
  );
});
