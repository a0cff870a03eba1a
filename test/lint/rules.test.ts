// Checks that the rendered rules have the effect that the findings describe.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { runCommandLine } from "../../src/cli.ts";
import { CollectedOutput } from "../support/collected-output.ts";
import { FIXTURES } from "../support/golden.ts";

interface Case {
  /** The manifest in `fixtures/lint`. */
  readonly file: string;
  /** In addition to those in the manifest. */
  readonly flags?: readonly string[];
  readonly has?: readonly RegExp[];
  readonly hasNot?: readonly RegExp[];
}

const CASES: Readonly<Record<string, Case>> = {
  "addresses in a family without a cluster IP have no rules": { file: "address-family", hasNot: [/2001:db8:f[ef]::/] },
  "one range of prefix length 0 removes the firewall chain": { file: "source-ranges-open", hasNot: [/KUBE-FW/] },
  "a family without source ranges has no firewall chain": {
    file: "source-ranges-family",
    has: [/-d 203\.0\.113\.22\/32 .*-j KUBE-FW/, /-d 2001:db8:ff::22\/128 .*-j KUBE-EXT/],
  },
  "node ports and external IPs bypass the firewall chain": {
    file: "source-ranges-bypass",
    has: [/KUBE-NODEPORTS .*--dport 31046 -j KUBE-EXT/, /-d 198\.51\.100\.46\/32 .*-j KUBE-EXT/, /-d 203.*-j KUBE-FW/],
  },
  "source ranges without a load balancer address filter nothing": { file: "source-ranges-unused", hasNot: [/KUBE-FW/] },
  "source ranges in an annotation filter nothing": {
    file: "source-ranges-annotation",
    hasNot: [/203\.0\.113\.19\/32 .*-j KUBE-FW/],
  },
  "an address with ipMode Proxy has no rules": { file: "ingress-proxy", hasNot: [/203\.0\.113\.16/] },
  "a Local policy without endpoints on the node drops packets": {
    file: "local-policy",
    has: [
      /KUBE-EXTERNAL-SERVICES .*local-policy\/outside:http has no local endpoints.*-j DROP/,
      /KUBE-SERVICES .*local-policy\/inside:http has no local endpoints.*-j DROP/,
      /KUBE-SERVICES .*local-policy\/nowhere:http has no local endpoints.*-j DROP/,
    ],
    hasNot: [/local-policy\/here:http has no/],
  },
  "in IPVS mode a Local policy falls back to all endpoints, except for a Service without outside addresses": {
    file: "local-policy-ipvs",
    has: [/-a -t 192\.0\.2\.10:31024 -r 10\.244\.1\.7:8080/, /-a -t 10\.96\.7\.231:80 -r 10\.244\.1\.7/],
    hasNot: [/-a -t 10\.96\.7\.232:80/, /KUBE-NODE-PORT-TCP dst -j RETURN/],
  },
  "session affinity of two endpoints uses the recent match": {
    file: "affinity-memory",
    has: [/-m recent --rcheck .*10800/],
  },
  "connections to a port without an EndpointSlice port are rejected": {
    file: "port-without-slice-port",
    has: [
      /port-without-slice-port\/front:metrics has no endpoints.*REJECT/,
      /port-without-slice-port\/twisted has no endpoints.*REJECT/,
    ],
    hasNot: [/port-without-slice-port\/plain has no/],
  },
  "connections to a port whose targetPort no pod has are rejected": {
    file: "target-port-unknown",
    has: [/target-port-unknown\/front:admin has no endpoints.*REJECT/],
  },
  "connections go to the port in the EndpointSlice": {
    file: "target-port-differs",
    has: [/--to-destination 10\.244\.0\.7:8080/],
    hasNot: [/--to-destination \S+:80$/],
  },
  "connections to a Service without ready endpoints are rejected": {
    file: "no-endpoints",
    has: [/no-endpoints\/empty:http has no endpoints.*REJECT/, /no-endpoints\/dark:http has no endpoints.*REJECT/],
  },
  "terminating endpoints are used if no endpoint is ready": {
    file: "only-terminating",
    has: [/--to-destination 10\.244\.0\.7:8080/, /--to-destination 10\.244\.0\.9:8080/],
    hasNot: [/10\.244\.0\.8/, /10\.244\.0\.10/],
  },
  "connections in a family without endpoints are rejected": {
    file: "family-without-endpoints",
    has: [/fd00:96::7:131\/128 .*has no endpoints.*REJECT/],
  },
  "of two Services with one address the first rule matches": {
    file: "address-conflict",
    has: [
      /address-conflict\/first:http external IP[\s\S]*198\.51\.100\.2\/32 [^\n]*address-conflict\/second:http loadbalancer IP/,
    ],
  },
  "of two Services with one address the last virtual server remains": {
    file: "address-conflict-ipvs",
    has: [/-a -t 198\.51\.100\.1:80 -r 10\.244\.0\.8/],
    hasNot: [/-a -t 198\.51\.100\.1:80 -r 10\.244\.0\.7/],
  },
  "connections to the cluster IP of another Service are redirected": {
    file: "foreign-cluster-ip",
    has: [/-d 10\.96\.7\.141\/32 .*foreign-cluster-ip\/thief:http/],
  },
  "connections to an address of a node are redirected": {
    file: "node-address",
    has: [/-d 192\.0\.2\.10\/32 .*node-address\/front:http external IP/],
  },
  "in IPVS mode another node binds the address to kube-ipvs0": {
    file: "node-address-ipvs",
    flags: ["--node", "worker-b", "--node-address", "192.0.2.11"],
    has: [/192\.0\.2\.99\/32 dev kube-ipvs0/],
  },
  "endpoints of a slice with the headless label are not used": {
    file: "slice-headless",
    has: [/slice-headless\/front:http has no endpoints.*REJECT/],
  },
  "a duplicate endpoint is used once": {
    file: "duplicate-endpoint",
    hasNot: [/(-> 10\.244\.0\.7:8080"[\s\S]*){2}/, /169\.254/],
  },
  "only the first address of an endpoint is used": { file: "second-address", hasNot: [/10\.244\.0\.8/] },
  "incomplete hints are ignored": {
    file: "hints-incomplete",
    has: [/hints-incomplete\/front:http -> 10\.244\.1\.7/, /hints-incomplete\/near:http -> 10\.244\.1\.8/],
  },
  "a node in a zone without hints uses all endpoints": {
    file: "hints-without-zone",
    flags: ["--node", "worker-z"],
    has: [/hints-without-zone\/front:http -> 10\.244\.0\.7/, /hints-without-zone\/front:http -> 10\.244\.1\.7/],
  },
  "an unused health check port has no rule": { file: "health-port", hasNot: [/3210[12]/] },
  "externalTrafficPolicy has no effect without outside addresses": {
    file: "external-policy",
    hasNot: [/external-policy\/inside.*has no local/],
  },
  "Endpoints that are not mirrored are not used": { file: "endpoints-unused", hasNot: [/10\.244\.0\.[89]/] },
  "in IPVS mode there is no virtual server at 127.0.0.1": { file: "local-node-port", hasNot: [/127\.0\.0\.1:31022/] },
  "without a matching node address there are no node port rules": {
    file: "node-port-address",
    hasNot: [/-A KUBE-SERVICES (?!! -d ::1).*-j KUBE-NODEPORTS/],
  },
  "a Service without a cluster IP has no rules": { file: "no-cluster-ip", hasNot: [/no-cluster-ip\//] },
  "fields of another Service type take effect": {
    file: "type-ignored",
    has: [/KUBE-NODEPORTS .*31054/, /203\.0\.113\.25\/32/],
  },
  "a Service of type ExternalName has no rules": { file: "external-name", hasNot: [/external-name\//] },
  "a loopback address as external IP has rules": {
    file: "invalid-external-ip",
    has: [/-d 127\.0\.0\.1\/32 .*invalid-external-ip\/front:http/],
  },
  "disabled external IPs have no rules": { file: "external-ips-off", hasNot: [/198\.51\.100\.10/] },
};

for (const [name, { file, flags = [], has = [], hasNot = [] }] of Object.entries(CASES)) {
  t.test(name, async (t) => {
    const path = join(FIXTURES, "lint", `${file}.yaml`);
    const own = /^# flags: (.*)$/m.exec(readFileSync(path, "utf8"))?.[1]?.split(" ") ?? [];
    // Flags of the case replace those of the manifest that select the node and its addresses.
    const kept = flags.length > 0 ? own.filter((flag) => !/^--node|^--node-address|^192|^worker/.test(flag)) : own;
    const output = new CollectedOutput();
    await runCommandLine(["render", path, ...kept, ...flags], output);
    t.match(output.text, /KUBE-POSTROUTING/, "rules were rendered");
    for (const pattern of has) t.match(output.text, pattern);
    for (const pattern of hasNot) t.notMatch(output.text, pattern);
  });
}
