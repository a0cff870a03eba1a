// Tests the inputs of the trace command.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { z } from "zod";
import { runCommandLine } from "../../../src/cli.ts";
import { CollectedOutput } from "../../support/collected-output.ts";
import { FIXTURES } from "../../support/golden.ts";

const SHOP = [join(FIXTURES, "ci-example/manifests"), join(FIXTURES, "ci-example/cluster"), "--node", "worker-b"];

const EXTERNAL = "note: external: 198.18.0.9 is used as the address of any external client";

const MAIN = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));

const NODE = ["--node-address", "eth0=192.0.2.10"];

const dump = (name: string) => ["--rules", join(FIXTURES, "dumps", name)];

async function ask(...args: readonly string[]) {
  const output = new CollectedOutput();
  const code = await runCommandLine(["trace", ...args], output);
  return { code, text: output.text, notes: output.notes };
}

/** A file with this content, for as long as the test runs. */
function fileOf(t: Test, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "file.yaml"), content);
  return join(folder, "file.yaml");
}

t.test("an object that cannot be read is told, the rest is traced", async (t) => {
  const broken = fileOf(
    t,
    "apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: 5\n---\nkind: Deployment\napiVersion: apps/v1\n",
  );
  const { code, notes, text } = await ask(
    join(FIXTURES, "demo"),
    broken,
    "-v",
    "--from",
    "node",
    "--to",
    "10.96.0.80:80",
  );
  t.equal(code, 2);
  t.match(notes, [/Deployment/, /^error: .*file\.yaml: document 1: Service default\/x: spec: /]);
  t.match(text, /10\.244\.0\.13:8080/);
});

t.test("a pod is known by its own object, or by slices; one of another node is told", async (t) => {
  const pod = "apiVersion: v1\nkind: Pod\nmetadata: {namespace: shop, name: web-0}\nstatus: {podIP: 10.244.1.99}\n";
  const asked = ["--to", "203.0.113.10:443"];
  const bySlice = await ask(...SHOP, "--from", "pod/shop/web-0", ...asked);
  t.strictSame(bySlice.notes, [
    "note: Pod shop/web-0 is on node worker-a, so its packets pass the rules of that node, not those of worker-b",
  ]);
  t.match(bySlice.text, /^TCP from 10\.244\.1\.7 to /);
  const byObject = await ask(...SHOP, fileOf(t, pod), "--from", "pod/shop/web-0", ...asked);
  t.strictSame(byObject.notes, []);
  t.match(byObject.text, /^TCP from 10\.244\.1\.99 to /);
});

t.test("a pod in the node's network is a process of the node", async (t) => {
  const pod = "apiVersion: v1\nkind: Pod\nmetadata: {namespace: a, name: b}\nstatus: {podIP: 192.0.2.12}\n";
  const { text } = await ask(...SHOP, fileOf(t, pod), "--from", "pod/a/b", "--to", "203.0.113.10:443");
  t.match(text, /^TCP from a process of the node at 192\.0\.2\.12 to /);
});

t.test("a client outside is not taken from the cluster's own ranges", async (t) => {
  const { notes } = await ask(
    join(FIXTURES, "demo"),
    "--cluster-cidr",
    "198.18.0.0/15",
    "--from=external",
    "--to=10.96.0.80:80",
  );
  t.strictSame(notes, ["note: external: 203.0.113.200 is used as the address of any external client"]);
  const everywhere = await ask(
    join(FIXTURES, "demo"),
    "--cluster-cidr=0.0.0.0/0",
    "--from=external",
    "--to=10.96.0.80:80",
  );
  t.strictSame(everywhere.notes, [EXTERNAL]);
});

const OTHERS = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Service, metadata: {name: alias, namespace: a}, spec: {type: ExternalName, externalName: a.example}}
- {apiVersion: v1, kind: Service, metadata: {name: headless, namespace: a}, spec: {clusterIP: None, ports: [{port: 1}]}}
- {apiVersion: v1, kind: Service, metadata: {name: young, namespace: a}, spec: {ports: [{port: 1}]}}
- {apiVersion: v1, kind: Service, metadata: {name: bare, namespace: a}, spec: {clusterIP: 10.96.1.1, clusterIPs: [10.96.1.1]}}
- apiVersion: v1
  kind: Service
  metadata: {name: foreign, namespace: a, labels: {service.kubernetes.io/service-proxy-name: other}}
  spec: {clusterIP: 10.96.1.2, clusterIPs: [10.96.1.2], ports: [{port: 1}]}
- apiVersion: v1
  kind: Service
  metadata: {name: several, namespace: a}
  spec:
    clusterIP: "fd00:96::5"
    clusterIPs: ["fd00:96::5", 10.96.1.5]
    ipFamilies: [IPv6, IPv4]
    ports: [{name: dns, port: 53, protocol: UDP}, {name: dns-tcp, port: 53}, {name: web, port: 80}]
- {apiVersion: v1, kind: Service, metadata: {name: unnamed, namespace: a}, spec: {clusterIP: 10.96.1.3, clusterIPs: [10.96.1.3], ports: [{port: 8080}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: young, namespace: a}}
- {apiVersion: v1, kind: Pod, metadata: {name: six, namespace: a}, status: {podIP: "fd00::7"}}
`;

const WRONG: readonly [name: string, from: string, to: string, message: string][] = [
  ["no sender", "eth0", "node:80", '--from: "eth0" is not ADDRESS[:PORT], node, pod/NAMESPACE/NAME or external'],
  ["a sender's port that is none", "10.0.0.1:0", "node:80", '--from: "10.0.0.1:0" is not ADDRESS'],
  ["no target", "node", "10.0.0.1", '--to: "10.0.0.1" is not ADDRESS:PORT[/tcp|udp|sctp], service/NAMESPACE/NAME'],
  ["a protocol without ports", "node", "10.0.0.1:0/icmp", '--to: "10.0.0.1:0/icmp" is not ADDRESS'],
  ["a protocol that is none", "node", "service/a/several:53/xtp", '--to: "service/a/several:53/xtp" is not'],
  ["an address that is none", "node", "10.0.0.256:80", '--to: "10.0.0.256:80" is not'],
  ["the node in brackets", "node", "[node]:80", '--to: "[node]:80" is not'],
  ["a pod nobody knows", "pod/a/none", "node:80", '--from: no Pod "a/none" in the input'],
  ["a pod without address", "pod/a/young", "node:80", "--from: Pod a/young has no address yet"],
  ["a Service nobody knows", "node", "service/a/none", '--to: no Service "a/none"'],
  ["an alias", "node", "service/a/alias", "--to: Service a/alias is of type ExternalName: it has no cluster IP"],
  ["a headless Service", "node", "service/a/headless", "--to: Service a/headless is headless: it has no cluster IP"],
  ["a Service of another proxy", "node", "service/a/foreign", "--to: Service a/foreign is served by another proxy"],
  ["no port", "node", "service/a/bare", "--to: Service a/bare has no ports"],
  [
    "no such protocol",
    "node",
    "service/a/unnamed/sctp",
    "--to: Service a/unnamed has no port SCTP; its ports are 8080/tcp",
  ],
  ["a sender with a zone", "fe80::1%eth0", "node:80", '--from: "fe80::1%eth0" is not ADDRESS'],
  ["without an address yet", "node", "service/a/young", "--to: Service a/young has no cluster IP yet"],
  [
    "one of several ports",
    "node",
    "service/a/several",
    "--to: Service a/several has more ports: say dns/udp, dns-tcp/tcp",
  ],
  [
    "another port",
    "node",
    "service/a/several:81",
    "--to: Service a/several has no port 81; its ports are dns/udp, dns-tcp/tcp",
  ],
  [
    "another protocol",
    "node",
    "service/a/several:web/udp",
    "--to: Service a/several has no port web/UDP; its ports are dns/udp",
  ],
  [
    "of two families",
    "pod/a/six",
    "10.96.1.5:80",
    "--to: has only IPv4, and the sender has no address of that IP family",
  ],
  ["an unknown node", "node", "node:80", "--to: no address of the node is known; pass --node-ip"],
];

t.test("what cannot be traced", async (t) => {
  const others = fileOf(t, OTHERS);
  for (const [name, from, to, message] of WRONG) {
    const { code, notes } = await ask(others, "--from", from, "--to", to);
    t.equal(code, 2, name);
    t.ok(notes.at(-1)?.startsWith(`fairlead: ${message}`), `${name}: ${notes.at(-1)}`);
  }
  const { notes } = await ask(others, "--from=node", "--to=10.96.1.5:80", "--ip-family=ipv6");
  t.match(notes.at(-1), /--to: has no address of the requested IP family$/);
});

t.test("a port by number and protocol, in the Service's own first family or another", async (t) => {
  const others = fileOf(t, OTHERS);
  const first = await ask(others, "--from", "node", "--to", "service/a/several:53/udp");
  t.match(
    first.text,
    /^UDP from a process of the node to \[fd00:96::5\]:53, iptables mode\n\nService a\/several:dns, by /,
  );
  t.match(first.notes.at(-1), "note: IPv6 is traced; for IPv4, to 10.96.1.5: --ip-family ipv4");
  const { text } = await ask(others, "--from", "node", "--to", "service/a/several:53/udp", "--ip-family", "ipv4");
  t.match(text, /^UDP from a process of the node to 10\.96\.1\.5:53/);
  const outside = await ask(
    others,
    "--from",
    "[fd00::9]",
    "--to",
    "service/a/several:web",
    "--node-address",
    "fd00::1",
  );
  t.match(outside.text, /^TCP from fd00::9 to \[fd00:96::5\]:80/);
});

t.test("the node by an address of an interface, where no Node is known", async (t) => {
  const { text } = await ask(
    ...dump("kube-proxy-1.30.v4.save"),
    ...NODE,
    "--from",
    "192.0.2.77",
    "--to",
    "node:31080/tcp",
  );
  t.match(text, /^TCP from 192\.0\.2\.77 to 192\.0\.2\.10:31080, rules of the dump \(tables filter, mangle, nat\)\n/);
});

const SAVED = {
  nat: "*nat\n:PREROUTING ACCEPT [0:0]\n-A PREROUTING -d 10.0.0.2/32 -p tcp -j DNAT --to-destination 10.0.0.3\nCOMMIT\n",
  filter: "*filter\n:FORWARD ACCEPT [0:0]\nCOMMIT\n",
  dropping: "*filter\n:FORWARD DROP [0:0]\nCOMMIT\n",
  ipvs: "*nat\n:KUBE-IPVS-FILTER - [0:0]\nCOMMIT\n*filter\nCOMMIT\n",
  oldIpvs: "*nat\n:KUBE-NODE-PORT - [0:0]\nCOMMIT\n*filter\nCOMMIT\n",
  servers: "-A -t 10.0.0.2:80 -s rr\n-a -t 10.0.0.2:80 -r 10.0.0.3:80 -m -w 1\n",
};

const LEGACY = "# Warning: iptables-legacy tables present, use iptables-legacy to see them\n";

const INCOMPATIBLE = "# Table `filter' is incompatible, use 'nft' tool.\n";

const INCOMPLETE: readonly [name: string, files: readonly string[], first: RegExp][] = [
  ["nat alone", [SAVED.nat], /^unknown: no filter table in the dump; add the output of "iptables-save -t filter"/],
  ["filter alone", [SAVED.filter], /^unknown: no nat table in the dump; add the output of "iptables-save -t nat"/],
  ["sets alone", ["create a hash:ip family inet\n"], /^unknown: no IPv4 rules in the dump; add .*"iptables-save"/],
  [
    "a truncated table",
    [`${SAVED.nat}*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -j`],
    /^unknown: the filter table in the dump is truncated \(no COMMIT\); save it again/,
  ],
  [
    "a table that only nft lists",
    [`${INCOMPATIBLE}${SAVED.nat}`],
    /^unknown: the filter table in the dump is incomplete: it has chains that only nft lists; see "nft list table ip filter"/,
  ],
  [
    "tables of the other backend",
    [`${LEGACY}${SAVED.nat}${SAVED.filter}`],
    /^unknown: the rules of iptables-legacy are not in the dump; add the output of "iptables-legacy-save"/,
  ],
  [
    "rules in both backends",
    [`${LEGACY}${SAVED.nat}${SAVED.filter}`, SAVED.dropping],
    /^unknown: both iptables backends have rules, and the order in which they run is not known; remove/,
  ],
  [
    "IPVS mode of older versions without virtual servers",
    [SAVED.oldIpvs],
    /^unknown: no virtual servers in the dump, although it is of IPVS mode; add the output of "ipvsadm -Sn"/,
  ],
  [
    "IPVS mode without virtual servers",
    [SAVED.ipvs],
    /^unknown: no virtual servers in the dump, although it is of IPVS mode; add the output of "ipvsadm -Sn"/,
  ],
];

t.test("an incomplete dump gives no verdict: the result names the missing part first", async (t) => {
  const asked = ["--from", "10.0.0.1", "--to", "10.0.0.2:80", "--node-address", "192.0.2.1"];
  for (const [name, files, first] of INCOMPLETE) {
    const rules = files.flatMap((text) => ["--rules", fileOf(t, text)]);
    const { code, text } = await ask(...rules, ...asked);
    t.equal(code, 1, name);
    t.match(text, first, name);
    t.notMatch(text, /100 % {2}10\.0\./, name);
    const [{ outcomes }] = Traces.parse(JSON.parse((await ask(...rules, ...asked, "-o", "json")).text)).traces;
    t.strictSame(
      outcomes.map(({ outcome, reason = "" }) => [outcome, text.startsWith(`unknown: ${reason}; `)]),
      [["unknown", true]],
      name,
    );
  }
});

const Outcomes = z.object({ outcomes: z.array(z.object({ outcome: z.string(), reason: z.string().optional() })) });

const Traces = z.object({ traces: z.tuple([Outcomes], Outcomes) });

t.test("the part that was missing, added as another file, settles the verdict", async (t) => {
  const asked = ["--from", "10.0.0.1", "--to", "10.0.0.2:80", "--node-address", "192.0.2.1"];
  const rest = ["*nat\nCOMMIT\n", SAVED.filter].join("");
  for (const files of [
    [SAVED.nat, SAVED.filter],
    [`${LEGACY}${SAVED.nat}${SAVED.filter}`, rest],
    [`${LEGACY}${SAVED.nat}`, "*nat\nCOMMIT\n", SAVED.filter],
    [SAVED.ipvs, SAVED.servers],
  ]) {
    const { code, text } = await ask(...files.flatMap((each) => ["--rules", fileOf(t, each)]), ...asked);
    t.equal(code, 0);
    t.match(text, /^ {2}100 % {2}10\.0\.0\.3:80$/m);
  }
});

t.test("a dump without rules, or with an error message in their place, is refused", async (t) => {
  const asked = ["--from", "10.0.0.1", "--to", "10.0.0.2:80", "--node-address", "192.0.2.1"];
  const refused: readonly [text: string, message: RegExp][] = [
    ["", /file\.yaml: no rules in this file; write the output of iptables-save, run as root, to it$/],
    ["# Generated by iptables-save v1.8.9\n", /file\.yaml: no rules in this file/],
    ["hello\n", /file\.yaml: line 1: not a line of iptables-save, ipset save or ipvsadm -Sn: hello$/],
    [
      "iptables-save v1.8.9 (nf_tables): Could not fetch rule set generation id: Permission denied (you must be root)\n",
      /file\.yaml: line 1: an error message instead of rules; save them again, as root: /,
    ],
    [
      "-bash: iptables-save: command not found\n",
      /line 1: an error message instead of rules; save them again, as root: /,
    ],
  ];
  for (const [text, message] of refused) {
    const { code, notes, text: told } = await ask("--rules", fileOf(t, text), ...asked);
    t.strictSame([code, told], [2, ""], text);
    t.match(notes.at(-1), message, text);
  }
  t.equal((await ask(...asked)).code, 2, "neither manifests nor dumps");
});

t.test("help shows two examples", async (t) => {
  for (const command of ["trace", "test"]) {
    const run = spawnSync(process.execPath, ["--import=tsx", MAIN, command, "--help"], { encoding: "utf8" });
    t.equal(run.stdout.match(/^ +fairlead \w+ .*--/gm)?.length, 2, command);
  }
});
