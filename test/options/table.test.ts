// Tests that each option has its flag, default and field.
import t from "tap";
import { ALL_FLAGS, configOfFlags, flagValue, type GivenFlags } from "../../src/options/flags.ts";
import { configDocument } from "../../src/options/print.ts";
import type { Plain } from "../../src/options/value-type.ts";

const NONE: GivenFlags = new Map();

/** Flag, default that `--help` shows, a text for it, the field it sets, the value there. */
const fields: readonly [string, Plain, string, string, Plain][] = [
  ["feature-gates", {}, "AllAlpha=true", "featureGates", { AllAlpha: true }],
  ["kubeconfig", "", "/k", "clientConnection.kubeconfig", "/k"],
  ["kube-api-content-type", "application/vnd.kubernetes.protobuf", "x/y", "clientConnection.contentType", "x/y"],
  ["kube-api-burst", 10, "20", "clientConnection.burst", 20],
  ["kube-api-qps", 5, "7.5", "clientConnection.qps", 7.5],
  ["bind-address", "0.0.0.0", "::", "bindAddress", "::"],
  ["healthz-bind-address", "0.0.0.0:10256", "1.2.3.4:5", "healthzBindAddress", "1.2.3.4:5"],
  ["metrics-bind-address", "127.0.0.1:10249", "[::]:5", "metricsBindAddress", "[::]:5"],
  ["bind-address-hard-fail", false, "true", "bindAddressHardFail", true],
  ["profiling", false, "1", "enableProfiling", true],
  ["show-hidden-metrics-for-version", "", "1.35", "showHiddenMetricsForVersion", "1.35"],
  ["proxy-mode", "", "iptables", "mode", "iptables"],
  ["iptables-masquerade-bit", 14, "0", "iptables.masqueradeBit", 0],
  ["iptables-localhost-nodeports", true, "f", "iptables.localhostNodePorts", false],
  ["ipvs-scheduler", "", "lc", "ipvs.scheduler", "lc"],
  ["ipvs-exclude-cidrs", null, "10.0.0.0/8,fd00::/8", "ipvs.excludeCIDRs", ["10.0.0.0/8", "fd00::/8"]],
  ["ipvs-strict-arp", false, "t", "ipvs.strictARP", true],
  ["ipvs-tcp-timeout", "0s", "15m", "ipvs.tcpTimeout", "15m0s"],
  ["ipvs-tcpfin-timeout", "0s", "2m", "ipvs.tcpFinTimeout", "2m0s"],
  ["ipvs-udp-timeout", "0s", "5m", "ipvs.udpTimeout", "5m0s"],
  ["detect-local-mode", "", "NodeCIDR", "detectLocalMode", "NodeCIDR"],
  ["pod-bridge-interface", "", "cni0", "detectLocal.bridgeInterface", "cni0"],
  ["pod-interface-name-prefix", "", "veth", "detectLocal.interfaceNamePrefix", "veth"],
  ["cluster-cidr", "", "10.0.0.0/8,fd00::/8", "clusterCIDR", "10.0.0.0/8,fd00::/8"],
  ["nodeport-addresses", null, "primary", "nodePortAddresses", ["primary"]],
  ["oom-score-adj", -999, "-998", "oomScoreAdj", -998],
  ["conntrack-max-per-core", 32768, "0", "conntrack.maxPerCore", 0],
  ["conntrack-min", 131072, "0", "conntrack.min", 0],
  ["conntrack-tcp-timeout-established", "24h0m0s", "0", "conntrack.tcpEstablishedTimeout", "0s"],
  ["conntrack-tcp-timeout-close-wait", "1h0m0s", "1m", "conntrack.tcpCloseWaitTimeout", "1m0s"],
  ["conntrack-tcp-be-liberal", false, "true", "conntrack.tcpBeLiberal", true],
  ["conntrack-udp-timeout", "0s", "30s", "conntrack.udpTimeout", "30s"],
  ["conntrack-udp-timeout-stream", "0s", "3m", "conntrack.udpStreamTimeout", "3m0s"],
  ["config-sync-period", "15m0s", "1m", "configSyncPeriod", "1m0s"],
  ["v", 0, "4", "logging.verbosity", 4],
  ["vmodule", [], "a*=2", "logging.vmodule", [{ filePattern: "a*", verbosity: 2 }]],
  ["logging-format", "text", "json", "logging.format", "json"],
  ["log-flush-frequency", "5s", "1s", "logging.flushFrequency", "1s"],
  ["log-text-split-stream", false, "true", "logging.options.text.splitStream", true],
  ["log-json-split-stream", false, "true", "logging.options.json.splitStream", true],
  ["log-text-info-buffer-size", "0", "1024Ki", "logging.options.text.infoBufferSize", "1Mi"],
  ["log-json-info-buffer-size", "0", "2000", "logging.options.json.infoBufferSize", "2k"],
  ["iptables-layout", "Compat", "Indexed", "iptables.layout", "Indexed"],
  ["ipvs-fallback", "IPTables", "None", "ipvs.fallback", "None"],
  ["masquerade-all", false, "true", "iptables.masqueradeAll", true],
  ["iptables-sync-period", "30s", "1m", "iptables.syncPeriod", "1m0s"],
  ["iptables-min-sync-period", "1s", "0", "iptables.minSyncPeriod", "0s"],
];

const invocation: readonly [string, Plain][] = [
  ["help", false],
  ["version", "false"],
  ["config", ""],
  ["write-config-to", ""],
  ["cleanup", false],
  ["init-only", false],
  ["master", ""],
  ["hostname-override", ""],
  ["healthz-port", 10256],
  ["metrics-port", 10249],
  ["ipvs-sync-period", "30s"],
  ["ipvs-min-sync-period", "1s"],
  ["machine-id-file", "/etc/machine-id,/var/lib/dbus/machine-id"],
  ["boot-id-file", "/proc/sys/kernel/random/boot_id"],
];

for (const [flag, initial, text, field, value] of fields) {
  t.test(`--${flag} sets ${field}`, async (t) => {
    t.strictSame(ALL_FLAGS.find((row) => row.flag === flag)?.defaultValue, initial);
    t.notSame(at(configDocument(configOfFlags(NONE)), field), value);
    t.strictSame(at(configDocument(configOfFlags(new Map([[flag, [text]]]))), field), value);
  });
}

for (const [flag, initial] of invocation) {
  t.test(`--${flag} is known`, async (t) => {
    t.strictSame(ALL_FLAGS.find((row) => row.flag === flag)?.defaultValue, initial);
  });
}

t.test("there are no other flags, and each has a sentence for --help", async (t) => {
  const known = [...fields, ...invocation].map(([flag]) => flag).sort();
  t.strictSame(
    ALL_FLAGS.map(({ flag }) => flag),
    known,
  );
  for (const { meaning } of ALL_FLAGS) t.match(meaning, /^[A-Z].*\.$/);
});

t.test("the commands that only compute rules are offered what changes rules", async (t) => {
  const rules = ALL_FLAGS.filter(({ rules }) => rules).map(({ flag }) => flag);
  const needed =
    "config proxy-mode cluster-cidr detect-local-mode pod-bridge-interface pod-interface-name-prefix masquerade-all " +
    "nodeport-addresses iptables-masquerade-bit iptables-localhost-nodeports ipvs-scheduler ipvs-exclude-cidrs " +
    "iptables-layout ipvs-fallback";
  for (const flag of needed.split(" ")) t.ok(rules.includes(flag), flag);
  t.notOk(rules.includes("cleanup"));
});

t.test("flags of the invocation are read by their kind", async (t) => {
  const given: GivenFlags = new Map([
    ["cleanup", ["true"]],
    ["master", ["a", "b"]],
    ["healthz-port", ["0"]],
  ]);
  t.equal(flagValue(given, "cleanup"), true);
  t.equal(flagValue(given, "master"), "b");
  t.equal(flagValue(given, "healthz-port"), 0);
  t.equal(flagValue(given, "config"), "");
  for (const [text, value] of [
    ["t", "true"],
    ["0", "false"],
    ["raw", "raw"],
    ["v1.36.2-ours", "v1.36.2-ours"],
  ] as const)
    t.equal(flagValue(new Map([["version", [text]]]), "version"), value, text);
  for (const text of ["v1", "one"])
    t.throws(() => flagValue(new Map([["version", [text]]]), "version"), { name: "InputError" }, text);
});

function at(document: Plain, path: string): Plain | undefined {
  return path.split(".").reduce<Plain | undefined>((value, key) => {
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).find(([name]) => name === key)?.[1]
      : undefined;
  }, document);
}
