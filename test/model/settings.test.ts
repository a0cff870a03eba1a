// What do configuration, Node and machine decide for all Services?
import t from "tap";
import { nodeSettingsOf, type SettingsInput, sameSettings } from "../../src/model/settings.ts";
import { buildFacts, buildNode, buildOptions } from "../support/build.ts";

t.test("a node as installed", async (t) => {
  t.strictSame(nodeSettingsOf(build()), {
    settings: {
      family: "IPv4",
      masqueradeBit: 14,
      masqueradeAll: false,
      nodeIP: "192.0.2.10",
      localhostNodePorts: true,
      counters: { invalidDropped: false, localhostNodePorts: false },
      dropInvalid: true,
      randomFully: true,
      endpointComments: true,
    },
    nodePortAddresses: "all",
  });
});

t.test("the same for IPv6", async (t) => {
  const { settings, nodePortAddresses } = nodeSettingsOf(build({ family: "IPv6" }));
  t.equal(settings.nodeIP, "2001:db8:a::10");
  t.equal(settings.localhostNodePorts, false);
  t.equal(nodePortAddresses, "all");
});

t.test("everything the other way", async (t) => {
  const options = buildOptions({
    bindAddress: "192.0.2.11",
    clusterCIDRs: ["10.244.0.0/16"],
    masqueradeAll: true,
    masqueradeBit: 31,
    localhostNodePorts: false,
    nodePortAddresses: ["192.0.2.0/24", "127.0.0.0/8"],
  });
  const counters = { invalidDropped: true, localhostNodePorts: true };
  const facts = buildFacts({ counters, tcpBeLiberal: true, iptablesVersion: "1.6.1" });
  t.strictSame(nodeSettingsOf(build({ options, facts, knownEndpoints: 1001 })), {
    settings: {
      family: "IPv4",
      masqueradeBit: 31,
      masqueradeAll: true,
      localTraffic: { kind: "cidr", cidr: "10.244.0.0/16" },
      nodeIP: "192.0.2.11",
      localhostNodePorts: false,
      counters,
      dropInvalid: false,
      randomFully: false,
      endpointComments: false,
    },
    nodePortAddresses: ["192.0.2.10"],
  });
});

t.test(
  "packets in state INVALID are dropped unless conntrack is liberal, by its setting or by configuration",
  async (t) => {
    const dropsInvalid = (option: boolean, fact: boolean) => {
      const options = buildOptions({ conntrack: { tcpBeLiberal: option } });
      return nodeSettingsOf(build({ options, facts: buildFacts({ tcpBeLiberal: fact }) })).settings.dropInvalid;
    };
    t.equal(dropsInvalid(false, false), true);
    t.equal(dropsInvalid(true, false), false, "it is set before the first rule is written");
    t.equal(dropsInvalid(false, true), false, "the kernel's setting stays");
    t.equal(dropsInvalid(true, true), false);
  },
);

t.test("primary: only the node's own address, and localhost is silently left out", async (t) => {
  const { settings, nodePortAddresses } = nodeSettingsOf(
    build({ options: buildOptions({ nodePortAddresses: ["primary"] }) }),
  );
  t.strictSame(nodePortAddresses, ["192.0.2.10"]);
  t.equal(settings.localhostNodePorts, false);
});

t.test("the pod ranges of the Node mark local traffic in NodeCIDR mode", async (t) => {
  const options = buildOptions({ detectLocalMode: "NodeCIDR" });
  t.strictSame(nodeSettingsOf(build({ options })).settings.localTraffic, { kind: "cidr", cidr: "10.244.0.0/24" });
});

for (const [version, randomFully] of [
  ["1.8.9", true],
  ["1.6.2", true],
  ["1.6.1", false],
  ["1.6", false],
  ["1.7", true],
  ["1.10.0", true],
  ["1.4.21", false],
  ["2.0", true],
  ["0.9.9", false],
] as const) {
  t.test(`iptables ${version} ${randomFully ? "knows" : "does not know"} --random-fully`, async (t) => {
    const facts = buildFacts({ iptablesVersion: version });
    t.equal(nodeSettingsOf(build({ facts })).settings.randomFully, randomFully);
  });
}

t.test("an iptables that does not tell its version is taken not to know --random-fully", async (t) => {
  const { iptablesVersion: _, ...facts } = buildFacts();
  t.equal(nodeSettingsOf(build({ facts })).settings.randomFully, false);
});

t.test("comments of endpoint rules end above 1000 endpoints", async (t) => {
  t.equal(nodeSettingsOf(build({ knownEndpoints: 1000 })).settings.endpointComments, true);
  t.equal(nodeSettingsOf(build({ knownEndpoints: 1001 })).settings.endpointComments, false);
});

const IPVS = {
  scheduler: "rr",
  strictARP: false,
  excludeCIDRs: [],
  keepReusedPorts: false,
  nodeAddresses: ["192.0.2.10"],
  nodePortAddresses: ["192.0.2.10"],
};

t.test("IPVS mode has settings of its own, and names every address that answers on nodePorts", async (t) => {
  const { settings, nodePortAddresses } = nodeSettingsOf(build({ options: buildOptions({ mode: "ipvs" }) }));
  t.strictSame(settings.ipvs, IPVS);
  t.strictSame(nodePortAddresses, ["192.0.2.10"]);
});

t.test("every difference is noticed", async (t) => {
  const { settings } = nodeSettingsOf(build());
  t.ok(sameSettings(settings, nodeSettingsOf(build()).settings), "nothing changed");
  const changes = [
    { family: "IPv6" },
    { masqueradeBit: 15 },
    { masqueradeAll: true },
    { localTraffic: { kind: "cidr", cidr: "10.0.0.0/8" } },
    { nodeIP: "192.0.2.11" },
    { localhostNodePorts: false },
    { counters: { invalidDropped: true, localhostNodePorts: false } },
    { counters: { invalidDropped: false, localhostNodePorts: true } },
    { dropInvalid: false },
    { randomFully: false },
    { endpointComments: false },
    { ipvs: IPVS },
  ] as const;
  for (const change of changes) t.notOk(sameSettings(settings, { ...settings, ...change }), JSON.stringify(change));
});

function build(given: Partial<SettingsInput> = {}): SettingsInput {
  return {
    family: "IPv4",
    options: buildOptions(),
    facts: buildFacts(),
    node: buildNode(),
    knownEndpoints: 0,
    ...given,
  };
}
