// Tests tracing packets with the trace command.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { z } from "zod";
import { runCommandLine } from "../../../src/cli.ts";
import { readInputFlags } from "../../../src/commands/given-inputs.ts";
import { tracePaths } from "../../../src/commands/trace/command.ts";
import { CollectedOutput } from "../../support/collected-output.ts";
import { FIXTURES, matchGolden } from "../../support/golden.ts";

const DEMO = [join(FIXTURES, "demo"), "--cluster-cidr", "10.244.0.0/16,fd00:244::/56"];

const SHOP = [join(FIXTURES, "ci-example/manifests"), join(FIXTURES, "ci-example/cluster"), "--node", "worker-b"];

const WIDE = [join(FIXTURES, "wide/cluster.yaml"), "--config", join(FIXTURES, "wide/config.yaml")];

const EXTERNAL = "note: external: 198.18.0.9 is used as the address of any external client";

const NODE = ["--node-address", "eth0=192.0.2.10"];

const dump = (name: string) => ["--rules", join(FIXTURES, "dumps", name)];

const cluster = (name: string) => [join(FIXTURES, "clusters", name, "cluster.yaml")];

const closed = ["--rules", join(FIXTURES, "trace/closed.dump"), ...NODE];

interface Case {
  readonly name: string;
  readonly args: readonly string[];
  readonly notes?: readonly string[];
  /** 1: some outcome is unknown. */
  readonly code?: number;
}

const CASES: readonly Case[] = [
  {
    name: "node-port",
    args: [...DEMO, "--from", "external", "--to", "node:30080"],
    notes: [EXTERNAL, "note: IPv4 is traced; for IPv6, to 2001:db8:a::10: --ip-family ipv6"],
  },
  {
    name: "hairpin",
    args: [...DEMO, "--from", "10.244.0.11:40000", "--to", "service/demo/web:http", "--in", "cni0"],
  },
  {
    name: "hairpin-ipvs",
    args: [...DEMO, "--from", "10.244.0.11", "--to", "service/demo/web", "--proxy-mode", "ipvs"],
  },
  { name: "no-endpoints", args: [...DEMO, "--from", "node", "--to", "service/demo/asleep:80"] },
  { name: "no-endpoints-ipvs", args: [...DEMO, "--from", "node", "--to", "10.96.0.90:80", "--proxy-mode=ipvs"] },
  { name: "ipv6", args: [...DEMO, "--from", "[2001:db8:ee::9]:4000", "--to", "[fd00:96::80]:80/tcp"] },
  { name: "udp", args: [...DEMO, "--from", "node", "--to", "service/demo/dns:53/udp"] },
  { name: "no-service", args: [...DEMO, "--from", "192.0.2.10", "--to", "198.51.100.7:22"] },
  { name: "affinity", args: [...SHOP, "--from", "pod/shop/front-0", "--to", "203.0.113.10:443"] },
  { name: "kept-out", args: [...SHOP, "--from", "203.0.113.200", "--to", "203.0.113.11:80"] },
  {
    name: "local-policy",
    args: [
      join(FIXTURES, "clusters/c12-external-local-one-here/cluster.yaml"),
      "--from",
      "external",
      "--to",
      "node:31312",
    ],
    notes: [EXTERNAL, "note: IPv4 is traced; for IPv6, to 2001:db8:a::10: --ip-family ipv6"],
  },
  { name: "dump", args: [...dump("kube-proxy-1.30.v4.save"), ...NODE, "--from", "10.244.0.12", "--to", "node:31080"] },
  {
    name: "dump-without-addresses",
    args: [...dump("kube-proxy-1.30.v4.save"), "--from", "10.244.0.12", "--to", "10.96.0.80:80"],
    code: 1,
  },
  {
    name: "dump-of-old",
    args: [...dump("kube-proxy-1.20.v4.save"), ...NODE, "--from", "10.244.0.12", "--to", "10.96.0.90:80"],
  },
  {
    name: "dumps-ipvs",
    args: [...dump("kube-proxy-ipvs.v4.save"), ...dump("kube-proxy-ipvs.ipset"), ...NODE].concat([
      "--from",
      "198.51.100.99",
      "--to",
      "10.96.0.80:80",
      "--in",
      "eth0",
    ]),
    code: 1,
  },
  {
    name: "external-ip",
    args: [...cluster("s16-two-external-ips"), "--from", "203.0.113.200", "--to", "198.51.100.6:443"],
  },
  {
    name: "none-here",
    args: [...cluster("c09-internal-local-none-here"), "--from", "10.244.0.5", "--to", "service/pick/c09"],
  },
  {
    name: "draining",
    args: [...cluster("c04-all-endpoints-draining"), "--from", "10.244.0.5", "--to", "service/pick/c04"],
  },
  { name: "policy", args: [...closed, "--from", "192.0.2.77", "--to", "10.0.0.9:80"] },
  { name: "twice", args: [...closed, "--from", "192.0.2.77", "--to", "10.0.0.2:80"] },
  { name: "joined", args: [...closed, "--from", "192.0.2.77", "--to", "10.0.0.5:80"] },
  { name: "the-node-itself", args: [...DEMO, "--from", "192.0.2.77", "--to", "192.0.2.10:22"] },
  {
    name: "two-sources",
    args: [...DEMO, "--node-address", "eth0=192.0.2.10", "--node-address", "eth1=192.0.2.11"].concat([
      "--from",
      "node",
      "--to",
      "10.96.0.80:80",
    ]),
  },
  {
    name: "other-family",
    args: [...closed, "--node-address", "2001:db8::1", "--from", "2001:db8::77", "--to", "[2001:db8::9]:80"],
    code: 1,
  },
  { name: "indexed-tree", args: [...WIDE, "--from", "10.244.2.2", "--to", "service/wide/many"] },
  { name: "indexed-affinity", args: [...WIDE, "--from", "10.244.0.5", "--to", "service/wide/sticky"] },
  { name: "indexed-no-endpoints", args: [...WIDE, "--from", "node", "--to", "service/wide/asleep"] },
  { name: "indexed-node-port", args: [...WIDE, "--from", "external", "--to", "node:31911"], notes: [EXTERNAL] },
  { name: "indexed-local-policy", args: [...WIDE, "--from", "203.0.113.200", "--to", "203.0.113.21:80"] },
  {
    name: "dump-indexed",
    args: ["--rules", join(FIXTURES, "wide/node.save"), ...NODE, "--from", "192.0.2.77", "--to", "10.96.20.9:80"],
  },
  { name: "not-judged", args: [...closed, "--from", "192.0.2.77", "--to", "10.0.0.4:80"], code: 1 },
  {
    name: "least-connections",
    args: ["--rules", join(FIXTURES, "diff/ipvs.dump"), ...NODE, "--from", "198.51.100.9", "--to", "203.0.113.5:443"],
  },
];

const FORMS = { text: "txt", json: "json", mermaid: "mmd", svg: "svg" } as const;

/** The others are drawn from the same walks. */
const DRAWN: ReadonlySet<string> = new Set([
  "node-port",
  "hairpin-ipvs",
  "kept-out",
  "dump-without-addresses",
  "joined",
  "policy",
  "indexed-node-port",
]);

for (const { name, args, notes = [], code = 0 } of CASES) {
  t.test(name, async (t) => {
    for (const [format, ending] of Object.entries(FORMS)) {
      if (format !== "text" && !DRAWN.has(name)) continue;
      const answer = await ask(...args, "-o", format);
      matchGolden(t, join(FIXTURES, "trace", `${name}.${ending}`), answer.text);
      t.equal(answer.code, code, `${format}: exit code`);
      t.strictSame(answer.notes, notes, `${format}: notes`);
    }
  });
}

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

t.test("as data every walk is whole, and says each end", async (t) => {
  for (const { name, args } of CASES) {
    const [{ outcomes, steps }] = Traces.parse(JSON.parse((await ask(...args, "-o", "json")).text)).traces;
    const sum = outcomes.reduce((all, { probability }) => all + probability.value, 0);
    t.ok(Math.abs(sum - 1) < 1e-9, `${name}: shares add up to ${sum}`);
    t.ok(
      outcomes.every(({ lastSteps }) => lastSteps.every((position) => position < steps.length)),
      `${name}: last steps are there`,
    );
  }
});

const Whole = z.object({
  steps: z.array(z.object({ hook: z.string(), what: z.string(), previous: z.array(z.number()) })),
  outcomes: z
    .array(
      z.object({
        outcome: z.enum(["delivered", "dropped", "rejected", "unknown"]),
        probability: z.object({ value: z.number(), fraction: z.string().optional(), exact: z.string().optional() }),
        lastSteps: z.array(z.number()),
      }),
    )
    .min(1),
});

const Traces = z.object({
  apiVersion: z.literal("fairlead/v1"),
  kind: z.literal("Trace"),
  traces: z.tuple([Whole]),
});

t.test("a thousand endpoints are told at once, and drawn as a crowd", async (t) => {
  const endpoints = Array.from({ length: 1000 }, (_, at) => `{addresses: [10.1.${at >> 8}.${at & 255}]}`).join(", ");
  const many = fileOf(t, MANY.replace("ENDPOINTS", endpoints));
  const asked = [many, "--from", "10.9.9.9", "--to", "service/a/many"];
  const { text } = await ask(...asked, "-o", "json");
  const [whole] = Traces.parse(JSON.parse(text)).traces;
  const shares = whole.outcomes.map(({ probability }) => probability);
  t.equal(shares.length, 1000);
  t.ok(shares.every(({ fraction }) => fraction === "1/1000"));
  t.equal(shares.at(-1)?.exact, undefined, "a fraction of thousands of digits is of no use");
  t.match((await ask(...asked)).text, /^ {2}1\/1000 \(0\.1 %\) {2}10\.1\.3\.231:80$/m);
  t.match((await ask(...asked, "-o", "mermaid")).text, /\+ 960 more|#43; 960 more/);
});

const MANY = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Service, metadata: {name: many, namespace: a}, spec: {clusterIP: 10.96.1.9, clusterIPs: [10.96.1.9], ports: [{port: 80}]}}
- apiVersion: discovery.k8s.io/v1
  kind: EndpointSlice
  metadata: {name: many-1, namespace: a, labels: {kubernetes.io/service-name: many}}
  addressType: IPv4
  ports: [{port: 80}]
  endpoints: [ENDPOINTS]
`;

t.test("source ranges of which none can be read let nobody in", async (t) => {
  const file = fileOf(
    t,
    `
apiVersion: v1
kind: Service
metadata: {name: shut, namespace: a}
spec: {type: LoadBalancer, clusterIP: 10.96.1.9, clusterIPs: [10.96.1.9], ports: [{port: 80}], loadBalancerSourceRanges: [x]}
status: {loadBalancer: {ingress: [{ip: 203.0.113.1}]}}
---
apiVersion: v1
kind: Endpoints
metadata: {name: shut, namespace: a}
subsets: [{addresses: [{ip: 10.1.0.1, targetRef: {kind: Pod, namespace: a, name: old}}], ports: [{port: 80}]}]
---
apiVersion: v1
kind: Pod
metadata: {name: caller, namespace: a}
status: {podIP: 10.1.0.9}
`,
  );
  const { code, text } = await ask(file, "--from", "pod/a/caller", "--to", "203.0.113.1:80");
  t.equal(code, 2, "the range is told");
  t.match(text, /^ {2}loadBalancerSourceRanges: allows only no client$/m);
  const back = await ask(file, "--from", "pod/a/old", "--to", "10.1.0.9:5000");
  t.match(back.text, /^ {2}100 % {2}10\.1\.0\.9:5000 \(Pod a\/caller\)$/m);
  const there = await ask(file, "--from", "pod/a/caller", "--to", "service/a/shut");
  t.match(there.text, /10\.1\.0\.1:80 \(Pod a\/old\)$/m, "a mirrored endpoint has its Pod");
});

t.test("what render prints is walked as the manifests are, in both modes and layouts", async (t) => {
  for (const [mode = "", ...layout] of [["iptables"], ["ipvs"], ["iptables", "--iptables-layout", "Indexed"]]) {
    const rendered = new CollectedOutput();
    await runCommandLine(["render", ...DEMO, "--proxy-mode", mode, ...layout], rendered);
    const asked = [
      "--from",
      "10.244.0.11",
      "--to",
      "service/demo/web",
      "--node-address",
      "eth0=192.0.2.10",
      "-o",
      "json",
    ];
    const wanted = outcomesOf((await ask(...DEMO, ...asked, "--proxy-mode", mode, ...layout)).text);
    t.strictSame(outcomesOf((await ask(...DEMO, ...asked, "--rules", fileOf(t, rendered.text))).text), wanted, mode);
    t.equal(wanted.length, 3);
  }
});

const Told = z.object({
  outcomes: z.array(z.object({ to: z.unknown(), source: z.string(), probability: z.object({ fraction: z.string() }) })),
});

function outcomesOf(text: string) {
  return z.object({ traces: z.tuple([Told]) }).parse(JSON.parse(text)).traces[0].outcomes;
}

t.test("of several files each table counts once", async (t) => {
  const [rules = ""] = dump("kube-proxy-1.30.v4.save").slice(1);
  const text = readFileSync(rules, "utf8");
  const tables = text.split(/^(?=\*)/m).slice(1);
  const files = tables.map((table) => fileOf(t, `# Generated by iptables-save v1.8.9\n${table}`));
  const asked = [...NODE, "--from", "10.244.0.12", "--to", "node:31080"];
  const parts = await ask(...files.flatMap((file) => ["--rules", file]), ...asked);
  t.strictSame(parts, await ask("--rules", rules, ...asked));
  const { code, notes } = await ask("--rules", rules, "--rules", files[0] ?? "", ...asked);
  t.equal(code, 2);
  t.match(notes, [/table \w+ of IPv4 is in another file too$/]);
});

t.test("colour is for those who want it", async (t) => {
  const output = new CollectedOutput();
  const flags = { from: "node", to: "10.96.0.80:80", rules: [], format: "text" as const, colour: true };
  const input = await readInputFlags({ ...NOTHING, paths: [join(FIXTURES, "demo")] }, new Map(), output);
  t.equal(await tracePaths(input, flags, output), 0);
  t.ok(output.text.includes("\u001b[32m10.244.0.11:8080"));
  t.notOk((await ask(...DEMO, "--from", "node", "--to", "10.96.0.80:80")).text.includes("\u001b"));
});

const NOTHING = { nodeIps: [], nodeAddresses: [], verbose: false };

t.test("a rule that asks for the way out is judged once that is said", async (t) => {
  const rules = fileOf(t, "*nat\nCOMMIT\n*filter\n:FORWARD ACCEPT [0:0]\n-A FORWARD -o eth1 -j DROP\nCOMMIT\n");
  const asked = ["--rules", rules, ...NODE, "--from", "198.51.100.99", "--to", "10.0.0.9:80"];
  t.match((await ask(...asked)).text, /depends on the outgoing interface; pass --out/);
  t.match((await ask(...asked, "--out", "eth1")).text, /dropped by filter FORWARD 1/);
  t.notMatch((await ask(...asked, "--out", "eth0")).text, /dropped/);
});
