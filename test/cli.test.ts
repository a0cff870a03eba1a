// Does the command line answer as people expect of one?
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import t from "tap";
import { runCommandLine } from "../src/cli.ts";
import { CollectedOutput } from "./support/collected-output.ts";
import { FIXTURES } from "./support/golden.ts";
import { SOURCES } from "./support/program.ts";

const CLUSTER = join(FIXTURES, "clusters/s09-nodeport-cluster-policy/cluster.yaml");

async function ask(...args: string[]) {
  const output = new CollectedOutput();
  const code = await runCommandLine(args, output);
  return { code, text: output.text, notes: output.notes };
}

const WRONG: readonly [string, readonly string[], number, RegExp][] = [
  ["no path", ["render"], 2, /no input: pass a file/],
  ["an unknown flag", ["render", "--colour", CLUSTER], 2, /unknown flag or argument: colour/],
  [
    "an unknown section",
    ["render", "--section", "arptables", CLUSTER],
    2,
    /--section is "arptables"; supported: "sysctl"/,
  ],
  ["a flag that cannot be read", ["render", "--iptables-masquerade-bit=x", CLUSTER], 2, /invalid argument "x"/],
  ["a configuration that is not valid", ["render", "--cluster-cidr=x", CLUSTER], 2, /must be a valid CIDR block/],
  ["a mode of later versions", ["render", "--proxy-mode=nftables", CLUSTER], 2, /mode nftables is not supported/],
  [
    "a layout that is none",
    ["render", "--iptables-layout=Other", CLUSTER],
    2,
    /Layout: Unsupported value: "Other": supported values: "Compat", "Indexed"/,
  ],
  [
    "an interface name that is none",
    ["render", "--detect-local-mode=BridgeInterface", "--pod-bridge-interface=cni0 -j ACCEPT", CLUSTER],
    2,
    /detectLocal\.bridgeInterface: "cni0 -j ACCEPT" is no interface name/,
  ],
  [
    "a scheduler that is no name",
    ["render", "--proxy-mode=ipvs", "--ipvs-scheduler=rr -p 5", CLUSTER],
    2,
    /ipvs\.scheduler: "rr -p 5" is no name of a scheduler/,
  ],
  [
    "a configuration file that is not there",
    ["render", "--config", "/nowhere", CLUSTER],
    2,
    /open \/nowhere: no such file or directory/,
  ],
  [
    "a facts file that is not there",
    ["render", "--node-facts", "/nowhere", CLUSTER],
    2,
    /\/nowhere: cannot be read: no such file or directory/,
  ],
  ["a node IP that is none", ["render", "--node-ip", "eth0", CLUSTER], 2, /--node-ip: "eth0" is not an IP address/],
  ["a node address that is none", ["render", "--node-address", "eth0", CLUSTER], 2, /--node-address: "eth0"/],
  ["a log format nobody knows", ["run", "--logging-format=xml"], 1, /initialize logging: logging\.format/],
  ["a mode nobody knows", ["--proxy-mode=userspace"], 1, /failed validate: .*userspace.*: must be iptables/],
  ["a log format nobody knows, without a command", ["--logging-format=xml"], 1, /^E.* err="initialize logging: /],
  [
    "a gap between syncs of more than an hour",
    ["--iptables-min-sync-period=2h", "--iptables-sync-period=3h"],
    1,
    /1h0m0s/,
  ],
  ["a mode that the daemon has not yet", ["--proxy-mode=nftables"], 1, /mode nftables is not supported/],
  ["an unknown feature gate", ["--feature-gates=Nope=true"], 1, /failed complete: unrecognized feature gate: Nope/],
  ["a blank name", ["--hostname-override= "], 1, /failed complete: empty hostname-override is invalid/],
  [
    "a metrics server that is switched off",
    ["--metrics-port=0", "--cleanup"],
    1,
    /MetricsBindAddress: Invalid value: .*must be IP:port/,
  ],
  [
    "an argument that is no command",
    ["rendre"],
    1,
    /^Error: "kube-proxy" does not take any arguments, got \["rendre"\]$/,
  ],
];

t.test("wrong usage is told in one line, with 2; for run with 1, as kube-proxy has it", async (t) => {
  for (const [name, args, code, message] of WRONG) {
    const answer = await ask(...args);
    t.equal(answer.code, code, name);
    t.match(answer.notes.at(-1), message, name);
    t.equal(answer.text, "", `${name}: no data`);
  }
});

t.test("a file that is not there is told, with 2", async (t) => {
  const { code, notes } = await ask("render", "/nowhere/x.yaml");
  t.equal(code, 2);
  t.match(notes.join("\n"), /\/nowhere\/x\.yaml/);
});

t.test("one section alone has no heading, fit for a pipe", async (t) => {
  const { text } = await ask("render", CLUSTER, "--section", "iptables");
  t.match(text, /^\*filter\n/);
  t.match((await ask("render", CLUSTER, "--section", "sysctl")).text, /^net\.ipv4\.conf\.all\.route_localnet = 1\n$/);
  t.match((await ask("render", CLUSTER, "--section=ip6tables")).text, /^\*filter\n/);
});

t.test("all sections are headed by their names", async (t) => {
  const { text } = await ask("render", CLUSTER);
  t.strictSame(text.match(/^# .*$/gm), ["# sysctl", "# iptables", "# ip6tables"]);
});

t.test("a Service alone, whole or one port of it", async (t) => {
  const { text } = await ask("render", CLUSTER, "--service", "web/front", "--section", "iptables");
  t.notMatch(text, /KUBE-FORWARD|PREROUTING|KUBE-POSTROUTING/);
  t.match(text, /-A KUBE-NODEPORTS .*"web\/front:http"/);
  t.equal((await ask("render", CLUSTER, "--service", "web/front:http", "--section", "iptables")).text, text);
  t.match(await ask("render", CLUSTER, "--service", "web/fron", "--section", "iptables"), {
    code: 2,
    text: "",
    notes: ['fairlead: no Service "web/fron"; did you mean "web/front"?'],
  });
});

t.test("a Service alone in IPVS mode: its entries, servers and addresses, and the sets they are in", async (t) => {
  const cluster = join(FIXTURES, "clusters/v11-source-ranges-without-node/cluster.yaml");
  const others = join(FIXTURES, "clusters/v12-external-ips/cluster.yaml");
  const flags = ["--proxy-mode", "ipvs", "--service", "shop/pub", "--ip-family", "ipv4"];
  const { text } = await ask("render", cluster, others, ...flags);
  t.strictSame(text.match(/^(?:#|create|:|-A|address|link) ?\S*/gm), [
    "# ipset",
    ...["CLUSTER-IP", "IPVS-IPS", "LOAD-BALANCER", "LOAD-BALANCER-FW"].map((name) => `create KUBE-${name}`),
    ...["LOAD-BALANCER-SOURCE-CIDR", "NODE-PORT-TCP"].map((name) => `create KUBE-${name}`),
    "# iptables",
    ":KUBE-IPVS-OUT-FILTER",
    "-A KUBE-IPVS-OUT-FILTER",
    "# ipvs",
    ...["-A -t", "-A -t", "-A -t"],
    "# addresses",
    ...["address add", "address add"],
  ]);
  t.notMatch(text, /10\.96\.1\.6/);
});

t.test("every rule is explained when asked", async (t) => {
  const { text } = await ask("render", CLUSTER, "--explain", "--section", "iptables");
  const lines = text.split("\n");
  const rules = lines.filter((line) => line.startsWith("-A"));
  const reasons = lines.filter((line, index) => line.startsWith("# ") && lines[index + 1]?.startsWith("-A"));
  t.equal(reasons.length, rules.length);
});

t.test("what the machine would decide comes from flags", async (t) => {
  const flags = [
    "--nodeport-addresses",
    "192.0.2.0/24",
    "--node-address",
    "eth0=192.0.2.99",
    "--node-address",
    "10.9.9.9",
  ];
  const { text } = await ask(
    "render",
    CLUSTER,
    ...flags,
    "--nfacct",
    "--iptables-version",
    "1.6.1",
    "--tcp-be-liberal=false",
  );
  t.match(text, /-A KUBE-SERVICES -d 192\.0\.2\.99\/32 .* -j KUBE-NODEPORTS/);
  t.notMatch(text, /10\.9\.9\.9/);
  t.match(text, /ct_state_invalid_dropped_pkts/);
  t.notMatch(text, /random-fully/);
  const liberal = await ask("render", CLUSTER, "--tcp-be-liberal", "--cpus", "4", "--kernel-version", "5.10");
  t.notMatch(liberal.text, /INVALID/);
});

t.test("conntrack.tcpBeLiberal, by flag or file, leaves the INVALID drop rule out of every command", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const [config, strict] = [join(folder, "config.yaml"), join(folder, "strict.save")];
  const document = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n";
  writeFileSync(config, `${document}conntrack: {tcpBeLiberal: true}\niptables: {masqueradeAll: true}\n`);
  const node = ["--node", "worker-a", "--ip-family", "ipv4"];
  const rendered = await ask("render", CLUSTER, ...node, "--section", "iptables", "--masquerade-all");
  t.match(rendered.text, /^-A KUBE-FORWARD .*INVALID/m);
  writeFileSync(strict, rendered.text);
  const ways: readonly (readonly string[])[] = [
    ["--conntrack-tcp-be-liberal", "--masquerade-all"],
    ["--config", config],
  ];
  for (const flags of ways) {
    t.notMatch((await ask("render", CLUSTER, ...node, ...flags)).text, /INVALID/);
    const diff = await ask("diff", CLUSTER, ...node, ...flags, "--against", strict, "-o", "unified");
    t.strictSame(
      diff.text.match(/^[-+]-A .*/gm),
      ["-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP"].map((rule) => `-${rule}`),
    );
    const packet = ["--from", "198.51.100.7", "--to", "10.96.8.1:80", "-o", "json"];
    const forwarded = (text: string) => /"chain": "KUBE-FORWARD",\s+"number": (\d+)/.exec(text)?.[1];
    t.equal(forwarded((await ask("trace", CLUSTER, ...node, ...packet, "--masquerade-all")).text), "2");
    t.equal(
      forwarded((await ask("trace", CLUSTER, ...node, ...packet, ...flags)).text),
      "1",
      "before it there is no rule",
    );
  }
  const cases = join(FIXTURES, "ci-example/cases.yaml");
  t.equal((await ask("test", cases, "--conntrack-tcp-be-liberal")).code, 0, "test takes the setting too");
});

const LOCALNET = [/route_localnet = 1/, /-A KUBE-FIREWALL ! -s 127/];
const LOCAL_COUNTER = /localhost_nps_accepted_pkts/;
const INVALID_COUNTER = /ct_state_invalid_dropped_pkts/;

/** Flags, what must be rendered, and what must not: settings that decide something in another section or table. */
const SETTINGS: readonly [flags: string, there: readonly RegExp[], missing: readonly RegExp[]][] = [
  ["", [...LOCALNET, /INVALID/, /random-fully/], [LOCAL_COUNTER, INVALID_COUNTER, /arp_ignore/]],
  ["--iptables-localhost-nodeports=false", [/KUBE-SERVICES ! -d 127\.0\.0\.0\/8/], LOCALNET],
  ["--nodeport-addresses=192.0.2.0/24", [], LOCALNET],
  ["--nodeport-addresses=primary", [], LOCALNET],
  ["--nodeport-addresses=127.0.0.0/8", LOCALNET, []],
  ["--nfacct", [LOCAL_COUNTER, INVALID_COUNTER], []],
  ["--nfacct --iptables-localhost-nodeports=false", [INVALID_COUNTER], [LOCAL_COUNTER]],
  ["--nfacct --nodeport-addresses=192.0.2.0/24", [INVALID_COUNTER], [LOCAL_COUNTER]],
  ["--nfacct --conntrack-tcp-be-liberal", [LOCAL_COUNTER], [INVALID_COUNTER, /INVALID/]],
  ["--ipvs-strict-arp", LOCALNET, [/arp_ignore/, /arp_announce/]],
  ["--proxy-mode=ipvs", [/vs\.conntrack = 1/, /ip_forward = 1/], [/arp_ignore/, /conn_reuse/, ...LOCALNET, /INVALID/]],
  ["--proxy-mode=ipvs --ipvs-strict-arp", [/arp_ignore = 1/, /arp_announce = 2/], []],
  ["--proxy-mode=ipvs --kernel-version=5.4", [/conn_reuse_mode = 0/], []],
  ["--proxy-mode=ipvs --masquerade-all", [/KUBE-CLUSTER-IP dst,dst -j KUBE-MARK-MASQ/], [/KUBE-CLUSTER-IP src,dst/]],
  ["--masquerade-all", [/-A KUBE-SVC-\S+ -d 10\.96\.8\.1\/32 .* -j KUBE-MARK-MASQ/], [/! -s 10\.244/]],
  ["--cluster-cidr=10.244.0.0/16", [/-A KUBE-SVC-\S+ ! -s 10\.244\.0\.0\/16 -d 10\.96\.8\.1/], []],
  ["--iptables-version=1.6.1", [/-j MASQUERADE$/m], [/random-fully/]],
];

for (const [flags, there, missing] of SETTINGS) {
  t.test(`render ${flags || "with defaults"} follows the setting everywhere`, async (t) => {
    const given = flags.split(" ").filter((flag) => flag !== "");
    const { text } = await ask("render", CLUSTER, "--node", "worker-a", "--ip-family", "ipv4", ...given);
    for (const pattern of there) t.match(text, pattern);
    for (const pattern of missing) t.notMatch(text, pattern);
  });
}

t.test("as which node is asked, and told when nobody knows", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "a.yaml"), "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n");
  writeFileSync(
    join(folder, "b.yaml"),
    "apiVersion: v1\nkind: Node\nmetadata: {name: b}\n---\nkind: Secret\napiVersion: v1\n",
  );
  t.match((await ask("render", folder, "--allow-empty")).notes, [/no --node/]);
  t.match((await ask("render", folder, "--allow-empty", "--node", "c")).notes, [/no Node c/]);
  t.strictSame((await ask("render", folder, "--allow-empty", "--node", "a")).notes, [
    "note: rendered 0 Services, 2 families, 26 chains",
  ]);
  t.match((await ask("render", folder, "--allow-empty", "--node", "a", "-v")).notes, [/b\.yaml: document 2: .*Secret/]);
});

t.test("a bad object is told, the rest is printed, with 2", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "bad.yaml"), "apiVersion: v1\nkind: Service\nmetadata: {name: Bad_Name}\n");
  const { code, notes, text } = await ask("render", CLUSTER, folder);
  t.equal(code, 2);
  t.match(notes.join("\n"), /^error: .*bad\.yaml: document 1: .*metadata\.name/m);
  t.match(text, /web\/front:http/);
});

t.test("an unusable family is left out", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "facts.yaml"), "families: [IPv4]\n");
  const { text } = await ask("render", CLUSTER, "--node-facts", join(folder, "facts.yaml"));
  t.notMatch(text, /ip6tables/);
});

t.test("a facts file that is no YAML is named", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "facts.yaml"), "families: [IPv4\n");
  const { code, notes } = await ask("render", CLUSTER, "--node-facts", join(folder, "facts.yaml"));
  t.equal(code, 2);
  t.match(notes, [/facts\.yaml: /]);
});

t.test("a warning about the configuration goes to the notes", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const head = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n";
  writeFileSync(join(folder, "config"), `${head}colour: red\n`);
  const { code, notes } = await ask("render", CLUSTER, "--config", join(folder, "config"));
  t.equal(code, 0);
  t.match(notes, [/warning: unknown field "colour"/]);
  writeFileSync(join(folder, "config"), "kind: Nonsense\napiVersion: v1\n");
  t.match((await ask("render", CLUSTER, "--config", join(folder, "config"))).notes, [
    /failed complete: failed to decode: no kind "Nonsense"/,
  ]);
});

t.test("a flag that cannot be read shows which there are", async (t) => {
  const { code, notes, text } = await ask("--config=x", "--foo");
  t.equal(code, 1);
  t.match(notes, [/^fairlead COMMAND[\s\S]*--write-config-to/, "Error: unknown flag: --foo"]);
  t.equal(text, "");
});

t.test("help and version are data, wherever the flag stands", async (t) => {
  for (const args of [["--help"], ["-h"], ["run", "--help"], ["--config=/nowhere", "--help"]]) {
    const { code, text } = await ask(...args);
    t.equal(code, 0);
    t.match(text, /^fairlead COMMAND[\s\S]* --hostname-override /, args.join(" "));
  }
  t.match(await ask("--config=/nowhere", "--version"), { code: 0, text: /^fairlead v\d+\.\d+\.\d+\n$/ });
});

t.test("a configuration that was written is written the same again", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const [first, second] = [join(folder, "first"), join(folder, "second")];
  const flags = ["--proxy-mode=ipvs", "--ipvs-min-sync-period=3s", "--metrics-port=0", "--cluster-cidr=10.0.0.0/8"];
  t.match(await ask(...flags, `--write-config-to=${first}`), {
    code: 0,
    notes: [/^Flag --metrics-port has been deprecated/, /^I.*"Wrote configuration" path=/],
  });
  t.match(readFileSync(first, "utf8"), /^apiVersion: [\s\S]*metricsBindAddress: 127\.0\.0\.1:10249\nmode: ipvs\n/);
  writeFileSync(second, "something longer than what will be in its place\n".repeat(200));
  t.match(await ask("--config", first, "--write_config_to", second), { code: 0 });
  t.equal(readFileSync(second, "utf8"), readFileSync(first, "utf8"));
  const nowhere = await ask("--write-config-to=/nowhere/at/all");
  t.match(nowhere, {
    code: 1,
    notes: [/^E.*"command failed" err="open \/nowhere\/at\/all: no such file or directory"$/],
  });
});

t.test("what is deprecated works, and is told in a line", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const { code, notes } = await ask("--healthz-port=0", `--write-config-to=${join(folder, "config")}`);
  t.equal(code, 0);
  t.equal(notes[0], "Flag --healthz-port has been deprecated, use --healthz-bind-address instead");
});

t.test(
  "flags are logged to who asks for more, what is odd in the file to all; failures in the log's own form",
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "config");
    const head = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n";
    writeFileSync(path, `${head}colour: red\nlogging: {format: json}\nmode: userspace\n`);
    const { code, notes } = await ask("-v", "1", `--config=${path}`);
    t.equal(code, 1);
    const records = notes.map((line) => JSON.parse(line));
    t.match(records[0], { msg: /^FLAG: --bind-address="0\.0\.0\.0"/ });
    t.match(records.at(-2), { msg: "Configuration", warning: /unknown field "colour"/ });
    t.match(records.at(-1), { msg: "command failed", err: /^failed validate: .*"userspace"/ });
  },
);

t.test("bash completes commands and their flags", async (t) => {
  const folder = t.testdir();
  const words = SOURCES.map((word) => `'${word}'`).join(" ");
  writeFileSync(join(folder, "fairlead"), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  const PATH = `${folder}:${process.env.PATH ?? ""}`;
  const script =
    'eval "$(fairlead completion)"; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _fairlead_yargs_completions;' +
    ' echo "$COMPREPLY"';
  const complete = async (...typed: string[]) =>
    (await execa("bash", ["-c", script, "bash", ...typed], { env: { PATH } })).stdout;
  t.equal(await complete("fairlead", "re"), "render");
  t.equal(await complete("fairlead", "render", "--sec"), "--section");
});
