// Tests --feature-gates.
import t from "tap";
import { type GateName, gateEnabled, gateProblem, gateStates, UNUSED_GATES } from "../../src/options/feature-gates.ts";

const problems: readonly [string, Record<string, boolean>, string | undefined][] = [
  ["none given", {}, undefined],
  ["a gate that stands open to change", { AllowServiceExternalIPs: false }, undefined],
  ["groups", { AllAlpha: true, AllBeta: false }, undefined],
  ["a locked gate left as it is", { NFTablesProxyMode: true }, undefined],
  [
    "a locked gate switched off",
    { NFTablesProxyMode: false },
    "cannot set feature gate NFTablesProxyMode to false, feature is locked to true",
  ],
  ["a gate of no meaning here", { WatchList: true, KubeletPSI: false }, undefined],
  ["an unknown gate", { NoSuchGate: true }, "unrecognized feature gate: NoSuchGate"],
  ["two unknown gates", { Zulu: true, Alpha: true }, "unrecognized feature gate: Alpha"],
  ["two unknown gates the other way round", { Alpha: true, Zulu: true }, "unrecognized feature gate: Alpha"],
  ["a name that objects have by themselves", { toString: true }, "unrecognized feature gate: toString"],
];

for (const [name, gates, problem] of problems) {
  t.test(`feature gates: ${name}`, async (t) => {
    t.equal(gateProblem(gates), problem);
  });
}

const gone =
  "ProxyTerminatingEndpoints ServiceInternalTrafficPolicy EndpointSliceProxying TopologyAwareHints " +
  "ServiceTrafficDistribution LoadBalancerIPMode MixedProtocolLBService SCTPSupport IPv6DualStack " +
  "KubeProxyDrainingTerminatingNodes MinimizeIPTablesRestore ServiceNodePortStaticSubrange";

for (const name of gone.split(" ")) {
  t.test(`the retired gate ${name} is unrecognised`, async (t) => {
    t.equal(gateProblem({ [name]: true }), `unrecognized feature gate: ${name}`);
  });
}

t.test("the whole release's gates are known", async (t) => {
  t.equal(UNUSED_GATES.size, 218);
  for (const name of UNUSED_GATES) t.match(name, /^[A-Z][A-Za-z0-9]+$/);
});

const enabled: readonly [GateName, Record<string, boolean>, boolean][] = [
  ["AllowServiceExternalIPs", {}, true],
  ["AllowServiceExternalIPs", { AllowServiceExternalIPs: false }, false],
  ["AllowServiceExternalIPs", { AllBeta: false, AllAlpha: false }, true],
  ["ComponentFlagz", {}, true],
  ["ComponentStatusz", {}, true],
  ["ComponentStatusz", { AllBeta: false }, false],
  ["ComponentStatusz", { AllBeta: false, ComponentStatusz: true }, true],
  ["NativeHistograms", {}, false],
  ["NativeHistograms", { AllAlpha: true }, true],
  ["NativeHistograms", { AllAlpha: true, NativeHistograms: false }, false],
  ["LoggingAlphaOptions", {}, false],
  ["LoggingBetaOptions", {}, true],
  ["PreferSameTrafficDistribution", {}, true],
  ["MultiCIDRServiceAllocator", {}, true],
  ["ContextualLogging", {}, true],
];

for (const [name, gates, on] of enabled) {
  t.test(`${name} is ${on ? "on" : "off"} with ${JSON.stringify(gates)}`, async (t) => {
    t.equal(gateEnabled(gates, name), on);
  });
}

t.test("all gates that mean something, and the groups", async (t) => {
  const states = gateStates({ AllBeta: false, NativeHistograms: true });
  const on = states.filter((gate) => gate.on).map(({ name }) => name);
  t.strictSame(on, [
    "AllowServiceExternalIPs",
    "MultiCIDRServiceAllocator",
    "NFTablesProxyMode",
    "NativeHistograms",
    "PreferSameTrafficDistribution",
  ]);
  t.match(states.slice(0, 2), [
    { name: "AllAlpha", stage: "alpha", on: false },
    { name: "AllBeta", stage: "beta", on: false },
  ]);
});
