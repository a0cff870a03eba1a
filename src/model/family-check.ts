// Checks that the configuration fits the IP families of the node.
import { parseAddress } from "../net/address.ts";
import { parseCidr } from "../net/cidr.ts";
import type { Family } from "../net/family.ts";
import { splitHostPort } from "../options/host-port.ts";
import type { Options } from "../options/options.ts";

/** The lists of ranges that say something about families. */
export interface ConfiguredRanges {
  readonly clusterCIDRs: readonly string[];
  /** Without the word `primary`: see `expandPrimary`. */
  readonly nodePortAddresses: readonly string[];
  readonly excludeCIDRs: readonly string[];
  readonly podCIDRs: readonly string[];
}

/** The families of a node. */
export interface NodeFamilies {
  readonly primary: Family;
  /** Rules of both families can be written here, whether or not the cluster has both. */
  readonly dualStack: boolean;
}

/** What is odd, each in a sentence, and whether kube-proxy refuses to run so. */
export interface FamilyCheck {
  readonly problems: readonly string[];
  readonly fatal: boolean;
}

/** What an operator should know of where nodePorts answer. None of it stops kube-proxy. */
export function nodePortWarnings(ranges: ConfiguredRanges, primary: Family): readonly string[] {
  const { nodePortAddresses } = ranges;
  const other = otherThan(primary);
  const everywhere = (family: string) => `nodePorts answer at all ${family}addresses of this node`;
  if (nodePortAddresses.length === 0)
    return [`nodePortAddresses is empty, so ${everywhere("")}; consider --nodeport-addresses primary`];
  if (isAllOf(nodePortAddresses, other)) {
    return [`this node is ${primary}-primary but nodePortAddresses has only ${other}, so ${everywhere(`${primary} `)}`];
  }
  if (!Object.values(ranges).some(isDualStack) || !isAllOf(nodePortAddresses, primary)) return [];
  return [`the cluster seems dual-stack but nodePortAddresses has only ${primary}, so ${everywhere(`${other} `)}`];
}

/** Lists and addresses that have nothing but the family that does not count here. */
export function checkFamilies(
  options: Pick<Options, "detectLocalMode" | "healthzBindAddress" | "metricsBindAddress">,
  { clusterCIDRs, podCIDRs, excludeCIDRs }: Omit<ConfiguredRanges, "nodePortAddresses">,
  { primary, dualStack }: NodeFamilies,
): FamilyCheck {
  const wrong = otherThan(primary);
  const node = dualStack ? `${primary}-primary` : `${primary}-only`;
  const { detectLocalMode: mode } = options;
  const wrongLists = [
    { name: "clusterCIDRs", list: clusterCIDRs, fatal: mode === "ClusterCIDR" && !dualStack },
    { name: "the node's podCIDRs", list: podCIDRs, fatal: mode === "NodeCIDR" },
    { name: "ipvs.excludeCIDRs", list: dualStack ? [] : excludeCIDRs, fatal: false },
  ].filter(({ list }) => isAllOf(list, wrong));
  const wrongServers = dualStack
    ? []
    : (["healthzBindAddress", "metricsBindAddress"] as const).filter((field) => boundFamily(options[field]) === wrong);
  return {
    problems: [
      ...wrongLists.map(({ name }) => `the node is ${node} but ${name} has only ${wrong}`),
      ...wrongServers.map((name) => `the node is ${node} but ${name} is ${wrong}`),
    ],
    fatal: wrongLists.some(({ fatal }) => fatal),
  };
}

function otherThan(family: Family): Family {
  return family === "IPv4" ? "IPv6" : "IPv4";
}

function isAllOf(cidrs: readonly string[], family: Family): boolean {
  return cidrs.length > 0 && cidrs.every((cidr) => parseCidr(cidr)?.family === family);
}

function isDualStack(cidrs: readonly string[]): boolean {
  const families = new Set(cidrs.map((cidr) => parseCidr(cidr)?.family));
  return families.size === 2 && !families.has(undefined);
}

/** The family that a server is bound to; none where it listens on all addresses, or nowhere. */
function boundFamily(hostPort: string): Family | undefined {
  const parts = splitHostPort(hostPort);
  const address = "wrong" in parts ? undefined : parseAddress(parts.host);
  return address && !["0.0.0.0", "::"].includes(address.text) ? address.family : undefined;
}
