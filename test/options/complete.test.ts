// Tests how flags, configuration file and defaults are combined.
import t from "tap";
import { completeConfig, nodeNameOf } from "../../src/options/complete.ts";
import { decodeConfig, readConfigText } from "../../src/options/config-file.ts";
import type { GivenFlags } from "../../src/options/flags.ts";
import type { Config } from "../../src/options/table.ts";
import type { Texts } from "../../src/options/value-type.ts";

const HEAD = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n";

function given(flags: Readonly<Record<string, Texts>>): GivenFlags {
  return new Map(Object.entries(flags));
}

function file(text: string): Config {
  return decodeConfig(readConfigText(HEAD + text)).config;
}

t.test("Linux fills in mode and detectLocalMode", async (t) => {
  t.match(completeConfig(given({})), { mode: "iptables", detectLocalMode: "ClusterCIDR", nodePortAddresses: null });
  t.match(completeConfig(given({}), file("mode: ipvs\ndetectLocalMode: NodeCIDR\n")), {
    mode: "ipvs",
    detectLocalMode: "NodeCIDR",
  });
});

t.test("nftables mode without nodePortAddresses takes the primary ones", async (t) => {
  t.strictSame(completeConfig(given({ "proxy-mode": ["nftables"] })).nodePortAddresses, ["primary"]);
  t.strictSame(completeConfig(given({}), file("mode: nftables\nnodePortAddresses: []\n")).nodePortAddresses, [
    "primary",
  ]);
  t.strictSame(completeConfig(given({}), file("mode: nftables\nnodePortAddresses: [10.0.0.0/8]\n")).nodePortAddresses, [
    "10.0.0.0/8",
  ]);
});

t.test("a file replaces every flag that configures", async (t) => {
  const flags = given({
    kubeconfig: ["/k"],
    "feature-gates": ["AllowServiceExternalIPs=false"],
    "proxy-mode": ["ipvs"],
    "kube-api-qps": ["99"],
    "bind-address": ["1.2.3.4"],
    "masquerade-all": ["true"],
    "iptables-sync-period": ["5s"],
    "healthz-port": ["0"],
  });
  t.strictSame(completeConfig(flags, file("")), completeConfig(given({}), file("")));
});

t.test("a file does not replace --hostname-override and the logging flags", async (t) => {
  const flags = given({ "hostname-override": [" Worker-A "], v: ["4"], "logging-format": ["json"] });
  t.match(completeConfig(flags, file("hostnameOverride: other\nlogging: {verbosity: 2}\n")), {
    hostnameOverride: "worker-a",
    "logging.verbosity": 4,
    "logging.format": "json",
  });
  t.equal(completeConfig(given({}), file("hostnameOverride: Other\n")).hostnameOverride, "Other");
});

const ports: readonly [string, Readonly<Record<string, Texts>>, string, string][] = [
  ["none given", {}, "0.0.0.0:10256", "127.0.0.1:10249"],
  ["bare addresses get the default ports", bare("1.2.3.4", "fd00::5"), "1.2.3.4:10256", "[fd00::5]:10249"],
  ["bare addresses get the ports", { ...bare("1.2.3.4", "fd00::5"), ...port("1", "2") }, "1.2.3.4:1", "[fd00::5]:2"],
  [
    "addresses with a port keep it",
    { ...bare("1.2.3.4:5", "[fd00::5]:6"), ...port("1", "2") },
    "1.2.3.4:5",
    "[fd00::5]:6",
  ],
  ["zero switches off", port("0", "0"), "", ""],
  [
    "not looked at when the file is written",
    { ...port("0", "0"), "write-config-to": ["/f"] },
    "0.0.0.0:10256",
    "127.0.0.1:10249",
  ],
];

for (const [name, flags, health, metrics] of ports) {
  t.test(`deprecated ports: ${name}`, async (t) => {
    const { healthzBindAddress, metricsBindAddress } = completeConfig(given(flags));
    t.strictSame([healthzBindAddress, metricsBindAddress], [health, metrics]);
  });
}

const refused: readonly [string, Readonly<Record<string, Texts>>, string][] = [
  ["a blank host name", { "hostname-override": [" "] }, "empty hostname-override is invalid"],
  ["an unknown feature gate", { "feature-gates": ["Nope=true"] }, "unrecognized feature gate: Nope"],
  [
    "a locked feature gate",
    { "feature-gates": ["NFTablesProxyMode=false"] },
    "cannot set feature gate NFTablesProxyMode to false, feature is locked to true",
  ],
];

for (const [name, flags, message] of refused) {
  t.test(`${name} is refused`, async (t) => {
    t.throws(() => completeConfig(given(flags)), { name: "InputError", message });
  });
}

t.test("the node's name is the override, else the host's name, in lower case", async (t) => {
  t.equal(nodeNameOf("", " Host-1 "), "host-1");
  t.equal(nodeNameOf("Worker-A", "host-1"), "worker-a");
  t.throws(() => nodeNameOf("", " "), { message: "empty hostname is invalid" });
  t.throws(() => nodeNameOf(" ", "host-1"), { message: "empty hostname is invalid" });
});

function bare(health: string, metrics: string): Readonly<Record<string, Texts>> {
  return { "healthz-bind-address": [health], "metrics-bind-address": [metrics] };
}

function port(health: string, metrics: string): Readonly<Record<string, Texts>> {
  return { "healthz-port": [health], "metrics-port": [metrics] };
}
