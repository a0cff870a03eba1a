// Do the rules that are written for a manifest do what its findings say?
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { runCommandLine } from "../../src/cli.ts";
import { CollectedOutput } from "../support/collected-output.ts";
import { FIXTURES } from "../support/golden.ts";

interface Case {
  /** The manifest in `fixtures/lint`. */
  readonly file: string;
  /** Beside those of the manifest. */
  readonly flags?: readonly string[];
  readonly has?: readonly RegExp[];
  readonly hasNot?: readonly RegExp[];
}

const CASES: Readonly<Record<string, Case>> = {
  "no rule has an address of a family without a cluster IP": { file: "address-family", hasNot: [/2001:db8:f[ef]::/] },
  "one range of length 0 takes the firewall away": { file: "source-ranges-open", hasNot: [/KUBE-FW/] },
  "the other family has no firewall": {
    file: "source-ranges-family",
    has: [/-d 203\.0\.113\.22\/32 .*-j KUBE-FW/, /-d 2001:db8:ff::22\/128 .*-j KUBE-EXT/],
  },
  "node ports and external IPs lead past the firewall": {
    file: "source-ranges-bypass",
    has: [/KUBE-NODEPORTS .*--dport 31046 -j KUBE-EXT/, /-d 198\.51\.100\.46\/32 .*-j KUBE-EXT/, /-d 203.*-j KUBE-FW/],
  },
  "ranges without an address filter nothing": { file: "source-ranges-unused", hasNot: [/KUBE-FW/] },
  "an annotation filters nothing": { file: "source-ranges-annotation", hasNot: [/203\.0\.113\.19\/32 .*-j KUBE-FW/] },
  "an address of mode Proxy has no rule": { file: "ingress-proxy", hasNot: [/203\.0\.113\.16/] },
  "a Local policy without endpoints here drops": {
    file: "local-policy",
    has: [
      /KUBE-EXTERNAL-SERVICES .*local-policy\/outside:http has no local endpoints.*-j DROP/,
      /KUBE-SERVICES .*local-policy\/inside:http has no local endpoints.*-j DROP/,
      /KUBE-SERVICES .*local-policy\/nowhere:http has no local endpoints.*-j DROP/,
    ],
    hasNot: [/local-policy\/here:http has no/],
  },
  "in IPVS mode it falls back, but for a Service of the inside": {
    file: "local-policy-ipvs",
    has: [/-a -t 192\.0\.2\.10:31024 -r 10\.244\.1\.7:8080/, /-a -t 10\.96\.7\.231:80 -r 10\.244\.1\.7/],
    hasNot: [/-a -t 10\.96\.7\.232:80/, /KUBE-NODE-PORT-TCP dst -j RETURN/],
  },
  "affinity of two endpoints is the recent match": { file: "affinity-memory", has: [/-m recent --rcheck .*10800/] },
  "a port that no slice has is refused": {
    file: "port-without-slice-port",
    has: [
      /port-without-slice-port\/front:metrics has no endpoints.*REJECT/,
      /port-without-slice-port\/twisted has no endpoints.*REJECT/,
    ],
    hasNot: [/port-without-slice-port\/plain has no/],
  },
  "a target port that no pod has is refused": {
    file: "target-port-unknown",
    has: [/target-port-unknown\/front:admin has no endpoints.*REJECT/],
  },
  "connections go to the port of the slices": {
    file: "target-port-differs",
    has: [/--to-destination 10\.244\.0\.7:8080/],
    hasNot: [/--to-destination \S+:80$/],
  },
  "nobody, or nobody ready, is refused": {
    file: "no-endpoints",
    has: [/no-endpoints\/empty:http has no endpoints.*REJECT/, /no-endpoints\/dark:http has no endpoints.*REJECT/],
  },
  "terminating endpoints are used where there are no others": {
    file: "only-terminating",
    has: [/--to-destination 10\.244\.0\.7:8080/, /--to-destination 10\.244\.0\.9:8080/],
    hasNot: [/10\.244\.0\.8/, /10\.244\.0\.10/],
  },
  "a family without endpoints is refused": {
    file: "family-without-endpoints",
    has: [/fd00:96::7:131\/128 .*has no endpoints.*REJECT/],
  },
  "of two the first rule wins": {
    file: "address-conflict",
    has: [
      /address-conflict\/first:http external IP[\s\S]*198\.51\.100\.2\/32 [^\n]*address-conflict\/second:http loadbalancer IP/,
    ],
  },
  "of two the last virtual server stays": {
    file: "address-conflict-ipvs",
    has: [/-a -t 198\.51\.100\.1:80 -r 10\.244\.0\.8/],
    hasNot: [/-a -t 198\.51\.100\.1:80 -r 10\.244\.0\.7/],
  },
  "another's cluster IP is taken": {
    file: "foreign-cluster-ip",
    has: [/-d 10\.96\.7\.141\/32 .*foreign-cluster-ip\/thief:http/],
  },
  "a node's own address is taken": {
    file: "node-address",
    has: [/-d 192\.0\.2\.10\/32 .*node-address\/front:http external IP/],
  },
  "in IPVS mode another node takes it for its own": {
    file: "node-address-ipvs",
    flags: ["--node", "worker-b", "--node-address", "192.0.2.11"],
    has: [/192\.0\.2\.99\/32 dev kube-ipvs0/],
  },
  "a slice that is hidden serves nobody": {
    file: "slice-headless",
    has: [/slice-headless\/front:http has no endpoints.*REJECT/],
  },
  "one endpoint counts once": {
    file: "duplicate-endpoint",
    hasNot: [/(-> 10\.244\.0\.7:8080"[\s\S]*){2}/, /169\.254/],
  },
  "only the first address counts": { file: "second-address", hasNot: [/10\.244\.0\.8/] },
  "incomplete hints are ignored": {
    file: "hints-incomplete",
    has: [/hints-incomplete\/front:http -> 10\.244\.1\.7/, /hints-incomplete\/near:http -> 10\.244\.1\.8/],
  },
  "a zone that is left out uses all": {
    file: "hints-without-zone",
    flags: ["--node", "worker-z"],
    has: [/hints-without-zone\/front:http -> 10\.244\.0\.7/, /hints-without-zone\/front:http -> 10\.244\.1\.7/],
  },
  "no rule opens a useless health check port": { file: "health-port", hasNot: [/3210[12]/] },
  "a policy without an outside means nothing": {
    file: "external-policy",
    hasNot: [/external-policy\/inside.*has no local/],
  },
  "Endpoints that are not mirrored serve nobody": { file: "endpoints-unused", hasNot: [/10\.244\.0\.[89]/] },
  "in IPVS mode no server is at 127.0.0.1": { file: "local-node-port", hasNot: [/127\.0\.0\.1:31022/] },
  "no address answers at the node port": {
    file: "node-port-address",
    hasNot: [/-A KUBE-SERVICES (?!! -d ::1).*-j KUBE-NODEPORTS/],
  },
  "a Service without a cluster IP has no rule": { file: "no-cluster-ip", hasNot: [/no-cluster-ip\//] },
  "fields of other types count": {
    file: "type-ignored",
    has: [/KUBE-NODEPORTS .*31054/, /203\.0\.113\.25\/32/],
  },
  "an ExternalName has no rule": { file: "external-name", hasNot: [/external-name\//] },
  "an external IP of every node is taken": {
    file: "external-ip-sort",
    has: [/-d 127\.0\.0\.1\/32 .*external-ip-sort\/front:http/],
  },
  "external IPs that are off have no rule": { file: "external-ips-off", hasNot: [/198\.51\.100\.10/] },
};

for (const [name, { file, flags = [], has = [], hasNot = [] }] of Object.entries(CASES)) {
  t.test(name, async (t) => {
    const path = join(FIXTURES, "lint", `${file}.yaml`);
    const own = /^# flags: (.*)$/m.exec(readFileSync(path, "utf8"))?.[1]?.split(" ") ?? [];
    // Later flags win, and addresses of the node are given anew.
    const kept = flags.length > 0 ? own.filter((flag) => !/^--node|^--node-address|^192|^worker/.test(flag)) : own;
    const output = new CollectedOutput();
    await runCommandLine(["render", path, ...kept, ...flags], output);
    t.match(output.text, /KUBE-POSTROUTING/, "rules were written");
    for (const pattern of has) t.match(output.text, pattern);
    for (const pattern of hasNot) t.notMatch(output.text, pattern);
  });
}
