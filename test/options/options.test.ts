// Tests the options derived from a configuration.
import { readFileSync } from "node:fs";
import t from "tap";
import { completeConfig } from "../../src/options/complete.ts";
import { decodeConfig, readConfigText } from "../../src/options/config-file.ts";
import { gateStates } from "../../src/options/feature-gates.ts";
import { fallBackToIPTables, optionsOf } from "../../src/options/options.ts";
import type { Config } from "../../src/options/table.ts";

const VALID = completeConfig(new Map());

t.test("the options of a start without anything", async (t) => {
  t.strictSame(optionsOf(VALID), {
    mode: "iptables",
    hostnameOverride: "",
    bindAddress: "0.0.0.0",
    clusterCIDRs: [],
    detectLocalMode: "ClusterCIDR",
    bridgeInterface: "",
    interfaceNamePrefix: "",
    nodePortAddresses: [],
    masqueradeAll: false,
    masqueradeBit: 14,
    localhostNodePorts: true,
    syncPeriod: 30_000,
    minSyncPeriod: 1000,
    allowServiceExternalIPs: true,
    iptablesLayout: "Compat",
    ipvs: {
      scheduler: "rr",
      excludeCIDRs: [],
      strictARP: false,
      tcpTimeout: 0,
      tcpFinTimeout: 0,
      udpTimeout: 0,
      fallback: "IPTables",
    },
    conntrack: {
      maxPerCore: 32768,
      min: 131072,
      tcpEstablishedTimeout: 86_400_000,
      tcpCloseWaitTimeout: 3_600_000,
      tcpBeLiberal: false,
      udpTimeout: 0,
      udpStreamTimeout: 0,
    },
    client: {
      kubeconfig: "",
      acceptContentTypes: "",
      contentType: "application/vnd.kubernetes.protobuf",
      qps: 5,
      burst: 10,
    },
    logging: { format: "text", verbosity: 0, vmodule: [], flushFrequency: 5000, splitStream: false },
    configSyncPeriod: 900_000,
    oomScoreAdj: -999,
    healthzBindAddress: "0.0.0.0:10256",
    metricsBindAddress: "127.0.0.1:10249",
    bindAddressHardFail: false,
    enableProfiling: false,
    showHiddenMetricsForVersion: "",
    served: { flagz: true, statusz: true, nativeHistograms: false },
    gates: gateStates({}),
  });
});

t.test("the options of a full file in ipvs mode", async (t) => {
  const text = readFileSync(new URL("../../fixtures/config/full.yaml", import.meta.url), "utf8");
  const options = optionsOf(decodeConfig(readConfigText(text)).config);
  t.match(options, {
    mode: "ipvs",
    clusterCIDRs: ["10.244.0.0/16", "fd00:10:244::/56"],
    detectLocalMode: "BridgeInterface",
    bridgeInterface: "cni0",
    masqueradeAll: true,
    masqueradeBit: 0,
    localhostNodePorts: false,
    syncPeriod: 40_000,
    minSyncPeriod: 2000,
    allowServiceExternalIPs: false,
    iptablesLayout: "Indexed",
    ipvs: { scheduler: "lc", excludeCIDRs: ["10.50.0.0/16", "fd00:50::/64"], tcpTimeout: 900_000, fallback: "None" },
    conntrack: { maxPerCore: 0, tcpEstablishedTimeout: 0, udpTimeout: 30_000 },
    served: { nativeHistograms: true },
  });
});

t.test("nftables mode has a mark bit of its own", async (t) => {
  t.equal(optionsOf({ ...VALID, mode: "nftables", "nftables.masqueradeBit": 7 }).masqueradeBit, 7);
});

t.test("blanks round cluster CIDRs are trimmed", async (t) => {
  t.strictSame(optionsOf({ ...VALID, clusterCIDR: "10.0.0.0/8, fd00::/8" }).clusterCIDRs, ["10.0.0.0/8", "fd00::/8"]);
});

t.test("falling back to iptables mode gives it its own least gap", async (t) => {
  const ipvs = { ...optionsOf(VALID), mode: "ipvs" as const };
  t.match(fallBackToIPTables({ ...ipvs, minSyncPeriod: 0 }), { mode: "iptables", minSyncPeriod: 1000 });
  t.match(fallBackToIPTables({ ...ipvs, minSyncPeriod: 5000 }), { mode: "iptables", minSyncPeriod: 5000 });
});

const refused: readonly [Partial<Config>, string][] = [
  [{ mode: "" }, 'mode: unsupported value ""; supported values: iptables, ipvs, nftables'],
  [
    { detectLocalMode: "x" },
    'detectLocalMode: unsupported value "x"; supported values: ClusterCIDR, NodeCIDR, BridgeInterface, InterfaceNamePrefix',
  ],
  [{ "iptables.layout": "x" }, 'iptables.layout: unsupported value "x"; supported values: Compat, Indexed'],
  [{ "ipvs.fallback": "x" }, 'ipvs.fallback: unsupported value "x"; supported values: IPTables, None'],
  [{ "logging.format": "x" }, 'logging.format: unsupported value "x"; supported values: text, json'],
];

for (const [change, message] of refused) {
  t.test(`no options of ${JSON.stringify(change)}`, async (t) => {
    t.throws(() => optionsOf({ ...VALID, ...change }), { name: "InputError", message });
  });
}
