// Checks whether this node can run the configured mode.
import type { Node } from "../api/objects.ts";
import { type ConfiguredRanges, checkFamilies, nodePortWarnings } from "../model/family-check.ts";
import { isLoopback, nodeIPsOf } from "../model/node-ips.ts";
import { expandPrimary } from "../model/node-port-addresses.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import type { Options } from "../options/options.ts";
import { printProblems } from "../options/validate.ts";
import type { Log } from "../sync/log.ts";
import { FatalError } from "./failure.ts";
import type { Machine } from "./machine.ts";

export interface NodeCheck {
  readonly options: Options;
  readonly nodeName: string;
  /** The Node object as far as it is known. */
  readonly node: Node | undefined;
  readonly whyUnusable: Machine["whyUnusable"];
  /** Families whose rules can be written here. */
  readonly families: readonly Family[];
  readonly log: Log;
}

/**
 * The families to be served: both where both work here, else the primary one. Says what an operator should know.
 * Rejects with FatalError, in kube-proxy's words, where it would not run.
 */
export async function checkNode({ options, node, nodeName, families, whyUnusable, log }: NodeCheck): Promise<void> {
  reportMissing(node, nodeName, log);
  const { primary, ips } = nodeIPsOf(node?.addresses ?? [], options.bindAddress);
  if (isLoopback(ips[primary])) {
    log.info({ node: nodeName, address: ips[primary] }, "Node has no known IP; using loopback, see --bind-address");
  }
  const ranges: ConfiguredRanges = {
    clusterCIDRs: options.clusterCIDRs,
    nodePortAddresses: expandPrimary(options.nodePortAddresses, { primary, ips }),
    excludeCIDRs: options.ipvs.excludeCIDRs,
    podCIDRs: node?.podCIDRs ?? [],
  };
  report(nodePortWarnings(ranges, primary), log);
  if (families.length === 0) {
    throw new FatalError(`iptables is not available on this host : ${await whyUnusable(primary)}`);
  }
  for (const family of FAMILIES)
    if (!families.includes(family)) log.info({ ipFamily: family }, "iptables is not supported for this IP family");
  if (!families.includes(primary)) throw new FatalError(`no support for primary IP family ${JSON.stringify(primary)}`);
  const { problems, fatal } = checkFamilies(options, ranges, { primary, dualStack: families.length > 1 });
  if (fatal) throw new FatalError(`kube-proxy configuration is incorrect: ${printProblems(problems)}`);
  report(problems, log);
}

function reportMissing(node: Node | undefined, nodeName: string, log: Log): void {
  if (node && node.addresses.length > 0) return;
  log.error({ node: nodeName, missing: node ? "addresses" : "Node" }, "Node object or its addresses not found");
}

function report(problems: readonly string[], log: Log): void {
  if (problems.length === 0) return;
  log.error({ err: printProblems(problems) }, "Kube-proxy configuration may be incomplete or incorrect");
}
