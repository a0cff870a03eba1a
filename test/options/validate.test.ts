// Tests validation with the messages of kube-proxy.
import t from "tap";
import { completeConfig } from "../../src/options/complete.ts";
import { modeSettingsOf, withModeSettings } from "../../src/options/defaults.ts";
import type { Config } from "../../src/options/table.ts";
import { printProblems, validateConfig } from "../../src/options/validate.ts";

const VALID = completeConfig(new Map());
const LINUX = "KubeProxyLinuxConfiguration.";
const CONNTRACK = `${LINUX}KubeProxyConntrackConfiguration.`;
const LOCAL = "DetectLocalConfiguration.";
const SECOND = 1_000_000_000n;

const NOT_NEGATIVE = "must be greater than or equal to 0";
const BIT = "must be within the range [0, 31]";
const CIDR = "must be a valid CIDR";
const CIDR_BLOCK = "must be a valid CIDR block (e.g. 10.100.0.0/16 or fde4:8dba:82e1::/48)";
const PAIR = "must be a either a single CIDR or dual-stack pair of CIDRs (e.g. [10.100.0.0/16, fde4:8dba:82e1::/48]";

t.test("the default configuration is valid", async (t) => {
  t.strictSame(validateConfig(VALID), []);
});

/** What is changed, and the problems that follow, each without its root. */
const cases: readonly [Partial<Config>, ...string[]][] = [
  [{ featureGates: { Nope: true } }, 'featureGates: Invalid value: {"Nope":true}: unrecognized feature gate: Nope'],
  [
    { "iptables.masqueradeBit": -1, mode: "nftables" },
    `KubeProxyIPTablesConfiguration.MasqueradeBit: Invalid value: -1: ${BIT}`,
  ],
  [{ "iptables.masqueradeBit": 32 }, `KubeProxyIPTablesConfiguration.MasqueradeBit: Invalid value: 32: ${BIT}`],
  [{ "iptables.masqueradeBit": 31 }],
  [{ "iptables.masqueradeBit": 0 }],
  [
    { mode: "ipvs", "ipvs.tcpTimeout": -SECOND, "ipvs.tcpFinTimeout": -1n, "ipvs.udpTimeout": -60n * SECOND },
    `KubeProxyIPVSConfiguration.TCPTimeout: Invalid value: "-1s": ${NOT_NEGATIVE}`,
    `KubeProxyIPVSConfiguration.TCPFinTimeout: Invalid value: "-1ns": ${NOT_NEGATIVE}`,
    `KubeProxyIPVSConfiguration.UDPTimeout: Invalid value: "-1m0s": ${NOT_NEGATIVE}`,
  ],
  [
    { mode: "ipvs", "ipvs.excludeCIDRs": ["10.0.0.0/8", "10.0.0.1", "x"] },
    `KubeProxyIPVSConfiguration.ExcludeCidrs[1]: Invalid value: "10.0.0.1": ${CIDR}`,
    `KubeProxyIPVSConfiguration.ExcludeCidrs[2]: Invalid value: "x": ${CIDR}`,
  ],
  [{ mode: "iptables", "ipvs.tcpTimeout": -SECOND, "ipvs.excludeCIDRs": ["x"], "ipvs.fallback": "x" }],
  [{ mode: "ipvs", "ipvs.scheduler": "no-such" }],
  [
    { mode: "nftables", "nftables.masqueradeBit": 32 },
    `KubeProxyNFTablesConfiguration.MasqueradeBit: Invalid value: 32: ${BIT}`,
  ],
  [{ "nftables.masqueradeBit": 32 }],
  [
    {
      "conntrack.maxPerCore": -1,
      "conntrack.min": -2,
      "conntrack.tcpEstablishedTimeout": -SECOND,
      "conntrack.tcpCloseWaitTimeout": -SECOND,
      "conntrack.udpTimeout": -SECOND,
      "conntrack.udpStreamTimeout": -SECOND,
    },
    `${CONNTRACK}MaxPerCore: Invalid value: -1: ${NOT_NEGATIVE}`,
    `${CONNTRACK}Min: Invalid value: -2: ${NOT_NEGATIVE}`,
    `${CONNTRACK}TCPEstablishedTimeout: Invalid value: "-1s": ${NOT_NEGATIVE}`,
    `${CONNTRACK}TCPCloseWaitTimeout: Invalid value: "-1s": ${NOT_NEGATIVE}`,
    `${CONNTRACK}UDPTimeout: Invalid value: "-1s": ${NOT_NEGATIVE}`,
    `${CONNTRACK}UDPStreamTimeout: Invalid value: "-1s": ${NOT_NEGATIVE}`,
  ],
  [{ oomScoreAdj: -1001 }, `${LINUX}OOMScoreAdj: Invalid value: -1001: must be within the range [-1000, 1000]`],
  [{ oomScoreAdj: 1001 }, `${LINUX}OOMScoreAdj: Invalid value: 1001: must be within the range [-1000, 1000]`],
  [{ oomScoreAdj: 1000 }],
  [
    { mode: "userspace" },
    'Mode.ProxyMode: Invalid value: "userspace": must be iptables, ipvs, nftables or blank (blank means the best-available proxy [currently iptables])',
  ],
  [
    { mode: "kernelspace" },
    'Mode.ProxyMode: Invalid value: "kernelspace": must be iptables, ipvs, nftables or blank (blank means the best-available proxy [currently iptables])',
  ],
  [{ mode: "" }],
  [{ mode: "ipvs" }],
  [{ mode: "nftables" }],
  [{ "clientConnection.burst": -5 }, `ClientConnection.Burst: Invalid value: -5: ${NOT_NEGATIVE}`],
  [{ "clientConnection.qps": -5 }],
  [{ configSyncPeriod: 0n }, 'ConfigSyncPeriod: Invalid value: "0s": must be greater than 0'],
  [
    { "iptables.syncPeriod": -SECOND, "iptables.minSyncPeriod": -2n * SECOND },
    'SyncPeriod: Invalid value: "-1s": must be greater than 0',
    `MinSyncPeriod: Invalid value: "-2s": ${NOT_NEGATIVE}`,
  ],
  [
    { "iptables.minSyncPeriod": 31n * SECOND },
    'SyncPeriod: Invalid value: "31s": must be greater than or equal to KubeProxyConfiguration.MinSyncPeriod',
  ],
  [{ "iptables.minSyncPeriod": 30n * SECOND }],
  [{ bindAddress: "[::]" }, 'BindAddress: Invalid value: "[::]": not a valid textual representation of an IP address'],
  [{ bindAddress: "010.0.0.1" }],
  [{ healthzBindAddress: "" }],
  [{ healthzBindAddress: "1.2.3.4" }, 'HealthzBindAddress: Invalid value: "1.2.3.4": must be IP:port'],
  [
    { healthzBindAddress: "x:0" },
    'HealthzBindAddress: Invalid value: "x": must be a valid IP',
    'HealthzBindAddress: Invalid value: "0": must be a valid port',
  ],
  [{ healthzBindAddress: "[::]:65535" }],
  [{ metricsBindAddress: "" }, 'MetricsBindAddress: Invalid value: "": must be IP:port'],
  [{ metricsBindAddress: "1.2.3.4:65536" }, 'MetricsBindAddress: Invalid value: "65536": must be a valid port'],
  [{ metricsBindAddress: "1.2.3.4:http" }, 'MetricsBindAddress: Invalid value: "http": must be a valid port'],
  [{ nodePortAddresses: ["primary"] }],
  [{ nodePortAddresses: ["10.0.0.0/8", "fd00::/8"] }],
  [
    { nodePortAddresses: ["10.0.0.1", "10.0.0.0/8", "x"] },
    `NodePortAddresses[0]: Invalid value: "10.0.0.1": ${CIDR}`,
    `NodePortAddresses[2]: Invalid value: "x": ${CIDR}`,
  ],
  [
    { nodePortAddresses: ["y", "primary", "x"] },
    `NodePortAddresses[0]: Invalid value: "y": ${CIDR}`,
    "NodePortAddresses[1]: Invalid value: \"primary\": can't use both 'primary' and CIDRs",
  ],
  [
    { nodePortAddresses: ["primary", "primary"] },
    "NodePortAddresses[0]: Invalid value: \"primary\": can't use both 'primary' and CIDRs",
  ],
  [{ showHiddenMetricsForVersion: "1.35" }],
  [
    { showHiddenMetricsForVersion: "1.36" },
    "ShowHiddenMetricsForVersion: Invalid value: \"1.36\": --show-hidden-metrics-for-version must be omitted or have the value '1.35'. Only the previous minor version is allowed",
  ],
  [
    { detectLocalMode: "Magic" },
    'DetectLocalMode: Unsupported value: "Magic": supported values: "ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix", ""',
  ],
  [{ detectLocalMode: "" }],
  [{ detectLocalMode: "NodeCIDR", clusterCIDR: "x" }],
  [{ detectLocalMode: "BridgeInterface" }, `${LOCAL}InterfaceName: Invalid value: "": must not be empty`],
  [{ detectLocalMode: "BridgeInterface", "detectLocal.bridgeInterface": "cni0" }],
  [{ detectLocalMode: "InterfaceNamePrefix" }, `${LOCAL}InterfacePrefix: Invalid value: "": must not be empty`],
  [{ detectLocalMode: "InterfaceNamePrefix", "detectLocal.interfaceNamePrefix": "veth" }],
  [{ clusterCIDR: "10.0.0.0/8" }],
  [{ clusterCIDR: "fd00::/8,10.0.0.0/8" }],
  [{ clusterCIDR: "10.0.0.0" }, `${LOCAL}ClusterCIDRs[0]: Invalid value: "10.0.0.0": ${CIDR_BLOCK}`],
  [{ clusterCIDR: "10.0.0.0/8, fd00::/8" }, `${LOCAL}ClusterCIDRs[1]: Invalid value: " fd00::/8": ${CIDR_BLOCK}`],
  [
    { clusterCIDR: "10.0.0.0/8,11.0.0.0/8" },
    `${LOCAL}ClusterCIDRs: Invalid value: ["10.0.0.0/8","11.0.0.0/8"]: ${PAIR}`,
  ],
  [
    { clusterCIDR: "10.0.0.0/8,fd00::/8,x" },
    `${LOCAL}ClusterCIDRs[2]: Invalid value: "x": ${CIDR_BLOCK}`,
    `${LOCAL}ClusterCIDRs: Invalid value: ["10.0.0.0/8","fd00::/8","x"]: ${PAIR}`,
  ],
  [{ "logging.flushFrequency": -1n }, 'logging.flushFrequency: Invalid value: "-1ns": Must be greater than zero'],
  [
    { "iptables.layout": "Neat" },
    'KubeProxyIPTablesConfiguration.Layout: Unsupported value: "Neat": supported values: "Compat", "Indexed"',
  ],
  [
    { mode: "ipvs", "ipvs.fallback": "Maybe" },
    'KubeProxyIPVSConfiguration.Fallback: Unsupported value: "Maybe": supported values: "IPTables", "None"',
  ],
];

for (const [change, ...problems] of cases) {
  const shown = JSON.stringify(change, (_, value: unknown) => (typeof value === "bigint" ? `${value}ns` : value));
  t.test(`${shown} is ${problems.length === 0 ? "valid" : "refused"}`, async (t) => {
    const { syncPeriod, minSyncPeriod, masqueradeAll } = modeSettingsOf(VALID);
    const moved = withModeSettings(
      { ...VALID, mode: change.mode ?? "iptables" },
      { syncPeriod, minSyncPeriod, masqueradeAll },
    );
    t.strictSame(
      validateConfig({ ...moved, ...change }),
      problems.map((problem) => `KubeProxyConfiguration.${problem}`),
    );
  });
}

t.test("one problem is printed as itself, several in brackets, the same only once", async (t) => {
  t.equal(printProblems(["a"]), "a");
  t.equal(printProblems(["a", "a"]), "a");
  t.equal(printProblems(["a", "b", "a"]), "[a, b]");
});

t.test("--metrics-port=0 is refused in kube-proxy's words", async (t) => {
  t.equal(
    printProblems(validateConfig(completeConfig(new Map([["metrics-port", ["0"]]])))),
    'KubeProxyConfiguration.MetricsBindAddress: Invalid value: "": must be IP:port',
  );
});
