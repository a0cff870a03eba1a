import t from "tap";
import {
  type ConfiguredRanges,
  checkFamilies,
  type NodeFamilies,
  nodePortWarnings,
} from "../../src/model/family-check.ts";
import type { DetectLocalMode } from "../../src/options/options.ts";

const NONE: ConfiguredRanges = { clusterCIDRs: [], nodePortAddresses: [], excludeCIDRs: [], podCIDRs: [] };
const V4 = "10.0.0.0/8";
const V6 = "fd00::/8";

const WARNINGS: readonly [name: string, ranges: Partial<ConfiguredRanges>, warned: RegExp | undefined][] = [
  ["no limit", {}, /nodePortAddresses is empty.*all addresses.*--nodeport-addresses primary/],
  ["no limit, dual-stack", { clusterCIDRs: [V4, V6] }, /nodePortAddresses is empty/],
  ["the primary family alone, single-stack", { nodePortAddresses: [V4] }, undefined],
  ["the primary family alone, dual-stack pods", { nodePortAddresses: [V4], clusterCIDRs: [V6, V4] }, /all IPv6 addr/],
  [
    "the primary family alone, dual-stack node ranges",
    { nodePortAddresses: [V4], podCIDRs: [V4, V6] },
    /all IPv6 addr/,
  ],
  ["the primary family alone, dual-stack exclusions", { nodePortAddresses: [V4], excludeCIDRs: [V4, V6] }, /all IPv6/],
  [
    "the primary family alone, a range that is none",
    { nodePortAddresses: [V4], clusterCIDRs: [V4, V6, "x"] },
    undefined,
  ],
  ["both families", { nodePortAddresses: [V4, V6], clusterCIDRs: [V4, V6] }, undefined],
  ["the other family alone, single-stack", { nodePortAddresses: [V6] }, /IPv4-primary but .* only IPv6.*all IPv4 addr/],
  ["the other family alone, dual-stack", { nodePortAddresses: [V6], clusterCIDRs: [V4, V6] }, /all IPv4 addr/],
];

for (const [name, ranges, warned] of WARNINGS) {
  t.test(`nodePorts: ${name}`, async (t) => {
    const warnings = nodePortWarnings({ ...NONE, ...ranges }, "IPv4");
    t.equal(warnings.length, warned ? 1 : 0);
    if (warned) t.match(warnings[0], warned);
  });
}

const SINGLE: NodeFamilies = { primary: "IPv4", dualStack: false };
const DUAL: NodeFamilies = { primary: "IPv4", dualStack: true };

interface Given extends Partial<ConfiguredRanges> {
  readonly mode?: DetectLocalMode;
  readonly health?: string;
  readonly metrics?: string;
}

const FAMILIES: readonly [
  name: string,
  given: Given,
  node: NodeFamilies,
  problems: readonly string[],
  fatal: boolean,
][] = [
  ["nothing said", {}, SINGLE, [], false],
  ["pods of the right family", { clusterCIDRs: [V4] }, SINGLE, [], false],
  ["pods of both families", { clusterCIDRs: [V6, V4] }, SINGLE, [], false],
  [
    "pods of the wrong family",
    { clusterCIDRs: [V6] },
    SINGLE,
    ["the node is IPv4-only but clusterCIDRs has only IPv6"],
    true,
  ],
  [
    "pods of the wrong family on a node of both",
    { clusterCIDRs: [V6] },
    DUAL,
    ["the node is IPv4-primary but clusterCIDRs has only IPv6"],
    false,
  ],
  [
    "pods of the wrong family, where nobody goes by it",
    { clusterCIDRs: [V6], mode: "BridgeInterface" },
    SINGLE,
    ["the node is IPv4-only but clusterCIDRs has only IPv6"],
    false,
  ],
  [
    "node ranges of the wrong family",
    { podCIDRs: [V6] },
    SINGLE,
    ["the node is IPv4-only but the node's podCIDRs has only IPv6"],
    false,
  ],
  [
    "node ranges of the wrong family in mode NodeCIDR, on a node of both",
    { podCIDRs: [V6], mode: "NodeCIDR" },
    DUAL,
    ["the node is IPv4-primary but the node's podCIDRs has only IPv6"],
    true,
  ],
  ["exclusions", { excludeCIDRs: [V6] }, SINGLE, ["the node is IPv4-only but ipvs.excludeCIDRs has only IPv6"], false],
  ["exclusions on a node of both", { excludeCIDRs: [V6] }, DUAL, [], false],
  [
    "servers",
    { health: "[fd00::1]:10256", metrics: "[::1]:10249" },
    SINGLE,
    ["the node is IPv4-only but healthzBindAddress is IPv6", "the node is IPv4-only but metricsBindAddress is IPv6"],
    false,
  ],
  ["servers at all addresses", { health: "[::]:10256", metrics: "0.0.0.0:1" }, SINGLE, [], false],
  ["no server", { health: "" }, SINGLE, [], false],
  ["servers on a node of both", { health: "[fd00::1]:10256" }, DUAL, [], false],
  [
    "an IPv6 node",
    { clusterCIDRs: [V4], health: "0.0.0.0:10256" },
    { primary: "IPv6", dualStack: false },
    ["the node is IPv6-only but clusterCIDRs has only IPv4", "the node is IPv6-only but metricsBindAddress is IPv4"],
    true,
  ],
];

for (const [name, given, node, problems, fatal] of FAMILIES) {
  t.test(`families: ${name}`, async (t) => {
    const { mode = "ClusterCIDR", health = "0.0.0.0:10256", metrics = "127.0.0.1:10249", ...ranges } = given;
    const options = { detectLocalMode: mode, healthzBindAddress: health, metricsBindAddress: metrics };
    t.strictSame(checkFamilies(options, { ...NONE, ...ranges }, node), { problems, fatal });
  });
}
