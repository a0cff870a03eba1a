// Tests decoding the fields of a KubeProxyConfiguration file.
import { readFileSync } from "node:fs";
import t from "tap";
import { decodeConfig, readConfigText } from "../../src/options/config-file.ts";
import { DEFAULTS } from "../../src/options/defaults.ts";
import { printConfig } from "../../src/options/print.ts";
import type { Config, FieldName } from "../../src/options/table.ts";

const HEAD = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n";

function decode(text: string) {
  return decodeConfig(readConfigText(HEAD + text));
}

function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/config/${name}`, import.meta.url), "utf8");
}

t.test("a file that says nothing has every default", async (t) => {
  const { config, warnings } = decode("");
  t.strictSame(warnings, []);
  t.equal(printConfig(config), fixture("default.yaml"));
});

t.test("the file that kubeadm writes, full of zeros, is one of defaults", async (t) => {
  const { config, warnings } = decodeConfig(readConfigText(fixture("kubeadm.yaml")));
  t.strictSame(warnings, []);
  const plain = decode("").config;
  t.strictSame(config, {
    ...plain,
    clusterCIDR: "10.244.0.0/16",
    "clientConnection.kubeconfig": "/var/lib/kube-proxy/kubeconfig.conf",
  });
  const six = fixture("kubeadm.yaml").replace("bindAddress: 0.0.0.0", 'bindAddress: "::"');
  t.equal(decodeConfig(readConfigText(six)).config.healthzBindAddress, "[::]:10256");
});

/** What a field may say, and what it then is; `default` stands for its default. */
const values: readonly [FieldName, string, unknown][] = [
  ["bindAddress", "0.0.0.0", "0.0.0.0"],
  ["bindAddress", "9.8.7.6", "9.8.7.6"],
  ["bindAddress", '"::"', "::"],
  ["bindAddress", '"[::]"', "[::]"],
  ["bindAddress", "::0", "::0"],
  ["bindAddress", "2001:db8::1", "2001:db8::1"],
  ["bindAddress", '""', "default"],
  ["clientConnection.qps", "0", "default"],
  ["clientConnection.qps", "0.5", 0.5],
  ["clientConnection.burst", "0", "default"],
  ["clientConnection.burst", "-3", -3],
  ["clientConnection.contentType", '""', "default"],
  ["configSyncPeriod", "0s", "default"],
  ["configSyncPeriod", "null", "default"],
  ["configSyncPeriod", '""', "default"],
  ["configSyncPeriod", "1h30m", 5_400_000_000_000n],
  ["iptables.minSyncPeriod", "0s", "default"],
  ["iptables.masqueradeBit", "0", 0],
  ["iptables.masqueradeBit", "14.0", 14],
  ["iptables.masqueradeBit", "null", "default"],
  ["iptables.localhostNodePorts", "false", false],
  ["iptables.localhostNodePorts", "null", "default"],
  ["iptables.layout", "Indexed", "Indexed"],
  ["ipvs.fallback", '""', "default"],
  ["conntrack.maxPerCore", "0", 0],
  ["conntrack.min", "0", 0],
  ["conntrack.tcpEstablishedTimeout", "0s", 0n],
  ["conntrack.tcpCloseWaitTimeout", "0s", 0n],
  ["conntrack.tcpCloseWaitTimeout", "null", "default"],
  ["conntrack.udpTimeout", "-1s", -1_000_000_000n],
  ["oomScoreAdj", "0", 0],
  ["oomScoreAdj", "null", "default"],
  ["nftables.masqueradeBit", "0", 0],
  ["nodePortAddresses", "null", null],
  ["nodePortAddresses", "[]", []],
  ["nodePortAddresses", "[primary, null]", ["primary", ""]],
  ["ipvs.excludeCIDRs", "[10.0.0.0/8]", ["10.0.0.0/8"]],
  ["featureGates", "{A: true}", { A: true }],
  ["featureGates", "null", "default"],
  ["logging.flushFrequency", "0", "default"],
  ["logging.flushFrequency", "0s", "default"],
  ["logging.flushFrequency", "2s", 2_000_000_000n],
  ["logging.flushFrequency", "3000000000", 3_000_000_000n],
  ["logging.verbosity", "4294967295", 4294967295],
  [
    "logging.vmodule",
    "[{filePattern: a, verbosity: 3}, {}]",
    [
      { filePattern: "a", verbosity: 3 },
      { filePattern: "", verbosity: 0 },
    ],
  ],
  ["logging.options.json.infoBufferSize", "0", "default"],
  ["logging.options.json.infoBufferSize", '""', "default"],
  ["logging.options.json.infoBufferSize", "1024Ki", "1Mi"],
  ["logging.options.text.infoBufferSize", "2000", "2k"],
  ["logging.options.text.splitStream", "true", true],
  ["windowsRunAsService", "true", true],
  ["winkernel.sourceVip", "10.0.0.1", "10.0.0.1"],
  ["enableProfiling", "yes", true],
  ["portRange", "1-2", "1-2"],
];

for (const [field, text, value] of values) {
  t.test(`${field}: ${text} is read`, async (t) => {
    const { config, warnings } = decode(nested(field, text));
    t.strictSame(warnings, []);
    t.strictSame(config[field], value === "default" ? DEFAULTS[field] : value);
  });
}

const addresses: readonly [string, string, string][] = [
  ["nothing", "0.0.0.0:10256", "127.0.0.1:10249"],
  ["bindAddress: 10.0.0.1", "0.0.0.0:10256", "127.0.0.1:10249"],
  ['bindAddress: "::"', "[::]:10256", "[::1]:10249"],
  ["bindAddress: none", "[::]:10256", "[::1]:10249"],
  ["healthzBindAddress: 1.2.3.4\nmetricsBindAddress: fd00::1", "1.2.3.4:10256", "[fd00::1]:10249"],
  ['healthzBindAddress: 1.2.3.4:5\nmetricsBindAddress: "[fd00::1]:6"', "1.2.3.4:5", "[fd00::1]:6"],
  ['healthzBindAddress: "[fd00::1]"\nmetricsBindAddress: x', "[fd00::1]", "x"],
];

for (const [text, health, metrics] of addresses) {
  t.test(`the servers' addresses with ${JSON.stringify(text)}`, async (t) => {
    const { config } = decode(text === "nothing" ? "" : text);
    t.strictSame([config.healthzBindAddress, config.metricsBindAddress], [health, metrics]);
  });
}

t.test("ipvs mode from a file has no least gap of its own", async (t) => {
  const { config } = decode("mode: ipvs\niptables: {masqueradeAll: true, minSyncPeriod: 7s}\n");
  const expected: Partial<Config> = {
    "ipvs.syncPeriod": 30_000_000_000n,
    "ipvs.minSyncPeriod": 0n,
    "iptables.masqueradeAll": true,
    "iptables.minSyncPeriod": 0n,
    "iptables.syncPeriod": 0n,
  };
  t.match(config, expected);
});

t.test("an unknown field is told and dropped, names are case-sensitive", async (t) => {
  const { config, warnings } = decode("foo: bar\nBindAddress: 1.2.3.4\niptables: {masqueradebit: 3, ipv6: {x: 1}}\n");
  t.strictSame(warnings, [
    'unknown field "foo"',
    'unknown field "BindAddress"',
    'unknown field "iptables.masqueradebit"',
    'unknown field "iptables.ipv6"',
  ]);
  t.strictSame(config, decode("").config);
});

t.test("a duplicate key is told, the last one is used", async (t) => {
  const { config, warnings } = decode("bindAddress: 1.1.1.1\nbindAddress: 2.2.2.2\n");
  t.equal(config.bindAddress, "2.2.2.2");
  t.strictSame(warnings, ['duplicate field "bindAddress" on line 4: the last one is used']);
});

t.test("a section may be null", async (t) => {
  t.strictSame(decode("iptables: null\nlogging: {options: null}\n"), decode(""));
});

const refused: readonly [string, string][] = [
  ["bindAddress: 12", "bindAddress: must be a string"],
  ["enableProfiling: 'true'", "enableProfiling: must be true or false"],
  ["configSyncPeriod: 15", "configSyncPeriod: must be a string"],
  ["configSyncPeriod: soon", 'configSyncPeriod: time: invalid duration "soon"'],
  ["conntrack: {tcpCloseWaitTimeout: ''}", 'conntrack.tcpCloseWaitTimeout: time: invalid duration ""'],
  ["conntrack: {min: many}", "conntrack.min: must be a whole number"],
  ["conntrack: {min: 1.5}", "conntrack.min: must be a whole number"],
  ["conntrack: {min: 2147483648}", "conntrack.min: must fit into 32 bits"],
  ["conntrack: {min: -2147483649}", "conntrack.min: must fit into 32 bits"],
  ["conntrack: 3", "conntrack: must be a mapping"],
  ["conntrack: []", "conntrack: must be a mapping"],
  ["clientConnection: {qps: fast}", "clientConnection.qps: must be a number"],
  ["nodePortAddresses: primary", "nodePortAddresses: must be a list"],
  ["nodePortAddresses: [3, a, 4]", "nodePortAddresses: 0: must be a string; 2: must be a string"],
  ["nodePortAddresses: [a, 3]", "nodePortAddresses: 1: must be a string"],
  ["featureGates: [A]", "featureGates: must be a mapping"],
  ["featureGates: {A: 1}", "featureGates: A: must be true or false"],
  ["logging: {verbosity: -1}", "logging.verbosity: must not be negative"],
  ["logging: {verbosity: 4294967296}", "logging.verbosity: must fit into 32 bits"],
  ["logging: {flushFrequency: true}", "logging.flushFrequency: must be a duration or a number of nanoseconds"],
  ["logging: {vmodule: a=1}", "logging.vmodule: must be a list"],
  ["logging: {vmodule: [a]}", "logging.vmodule: 0: must be a mapping"],
  ["logging: {vmodule: [{verbosity: -1}]}", "logging.vmodule: 0: verbosity: must not be negative"],
  ["logging: {options: {text: {infoBufferSize: [1]}}}", "logging.options.text.infoBufferSize: must be a quantity"],
];

for (const [text, message] of refused) {
  t.test(`${text} is refused`, async (t) => {
    t.throws(() => decode(text), { name: "InputError", message });
  });
}

const strangers: readonly [string, string, string][] = [
  ["another kind", HEAD.replace("KubeProxy", "KubeScheduler"), 'no kind "KubeSchedulerConfiguration" is registered'],
  ["another version", HEAD.replace("v1alpha1", "v2"), 'for version "kubeproxy.config.k8s.io/v2"'],
  ["no kind", "apiVersion: kubeproxy.config.k8s.io/v1alpha1\n", "Object 'Kind' is missing"],
  ["no version", "kind: KubeProxyConfiguration\n", "Object 'apiVersion' is missing"],
  ["a list", "- a\n", "is not a mapping"],
  ["null", "null\n", "is not a mapping"],
  ["prose", "this is not YAML\nat all\n", "could not find expected ':'"],
  ["an unquoted ::", `${HEAD}bindAddress: ::\n`, "line 3"],
];

for (const [name, text, words] of strangers) {
  t.test(`a file of ${name} is refused`, async (t) => {
    t.throws(() => decodeConfig(readConfigText(text)), { name: "InputError" });
    t.throws(() => decodeConfig(readConfigText(text)), new RegExp(words.replaceAll(".", "\\.")));
  });
}

function nested(field: string, text: string): string {
  return field
    .split(".")
    .reduceRight((inner, key) => `{${key}: ${inner}}`, text)
    .slice(1, -1);
}
