import t from "tap";
import { checkNode } from "../../src/commands/node-check.ts";
import type { Family } from "../../src/net/family.ts";
import { completeConfig } from "../../src/options/complete.ts";
import { optionsOf } from "../../src/options/options.ts";
import type { Texts } from "../../src/options/value-type.ts";
import { createLog } from "../../src/sync/log.ts";
import { buildNode } from "../support/build.ts";

interface Case {
  readonly name: string;
  readonly flags?: Readonly<Record<string, Texts>>;
  /** Null: there is no Node. */
  readonly addresses?: readonly string[] | null;
  readonly podCIDRs?: readonly string[];
  readonly families?: readonly Family[];
  readonly lines?: readonly RegExp[];
  readonly fatal?: string;
}

const QUIET: Readonly<Record<string, Texts>> = { "nodeport-addresses": ["primary"] };
const BOTH: readonly Family[] = ["IPv4", "IPv6"];

const CASES: readonly Case[] = [
  { name: "all is well", flags: QUIET },
  {
    name: "nodePorts everywhere",
    flags: {},
    lines: [/^E.*"nodePortAddresses is empty|^E.* err="nodePortAddresses is empty/],
  },
  {
    name: "no Node",
    flags: QUIET,
    addresses: null,
    lines: [
      /^E.*Node object or its addresses not found" node="n1" missing="Node"/,
      /^I.*--bind-address.* address="127\.0\.0\.1"/,
      /^E.*is empty/,
    ],
  },
  {
    name: "a Node without addresses, whose own is said",
    flags: { ...QUIET, "bind-address": ["192.0.2.1"] },
    addresses: [],
    lines: [/^E.* missing="addresses"/],
  },
  {
    name: "neither family",
    flags: QUIET,
    families: [],
    fatal: "iptables is not available on this host : IPv4 said no",
  },
  {
    name: "one family",
    flags: QUIET,
    addresses: ["192.0.2.1"],
    families: ["IPv4"],
    lines: [/^I.*"iptables is not supported for this IP family" ipFamily="IPv6"/],
  },
  {
    name: "not the family of the node",
    flags: QUIET,
    addresses: ["2001:db8::1"],
    families: ["IPv4"],
    lines: [/^I.*"iptables is not supported for this IP family" ipFamily="IPv6"/],
    fatal: 'no support for primary IP family "IPv6"',
  },
  {
    name: "pods of the other family on a node of one",
    flags: { ...QUIET, "cluster-cidr": ["fd00::/8"] },
    addresses: ["192.0.2.1"],
    families: ["IPv4"],
    lines: [/"iptables is not supported for this IP family" ipFamily="IPv6"/],
    fatal: "kube-proxy configuration is incorrect: the node is IPv4-only but clusterCIDRs has only IPv6",
  },
  {
    name: "pods of the other family on a node of both",
    flags: { ...QUIET, "cluster-cidr": ["fd00::/8"] },
    lines: [/^E.*err="the node is IPv4-primary but clusterCIDRs has only IPv6"/],
  },
  {
    name: "a node range of the other family that is gone by",
    flags: { ...QUIET, "detect-local-mode": ["NodeCIDR"] },
    podCIDRs: ["fd00:244::/64"],
    fatal: "kube-proxy configuration is incorrect: the node is IPv4-primary but the node's podCIDRs has only IPv6",
  },
];

for (const { name, flags = {}, addresses, podCIDRs = [], families = BOTH, lines = [], fatal } of CASES) {
  t.test(name, async (t) => {
    const spoken: string[] = [];
    const log = createLog("text", (line) => spoken.push(line))("node-check.ts");
    const options = optionsOf(completeConfig(new Map(Object.entries(flags))));
    const node = addresses === null ? undefined : buildNode({ podCIDRs, ...(addresses && { addresses }) });
    const whyUnusable = async (family: Family) => `${family} said no`;
    const checking = checkNode({ options, nodeName: "n1", node, families, whyUnusable, log });
    if (fatal === undefined) await checking;
    else await t.rejects(checking, { name: "FatalError", message: fatal });
    t.equal(spoken.length, lines.length, spoken.join(""));
    t.match(spoken, lines);
  });
}
