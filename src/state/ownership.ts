// Which chains are ours, of either mode, so that all else is left alone?
import type { TableName } from "./kernel-state.ts";

const CANARY = "KUBE-PROXY-CANARY";

const FIXED: ReadonlyMap<TableName, ReadonlySet<string>> = new Map([
  [
    "filter",
    new Set([
      "KUBE-SERVICES",
      "KUBE-EXTERNAL-SERVICES",
      "KUBE-FORWARD",
      "KUBE-NODEPORTS",
      "KUBE-PROXY-FIREWALL",
      "KUBE-NODE-PORT",
      "KUBE-SOURCE-RANGES-FIREWALL",
      "KUBE-IPVS-FILTER",
      "KUBE-IPVS-OUT-FILTER",
      CANARY,
    ]),
  ],
  ["mangle", new Set([CANARY])],
  [
    "nat",
    new Set([
      "KUBE-SERVICES",
      "KUBE-NODEPORTS",
      "KUBE-POSTROUTING",
      "KUBE-MARK-MASQ",
      "KUBE-NODE-PORT",
      "KUBE-LOAD-BALANCER",
      CANARY,
    ]),
  ],
]);

const OF_SERVICES = /^KUBE-(?:SVC|SVL|EXT|FW|SEP)-/;

/** Of the layout that finds Services by an index, in both tables. */
const INDEXED = /^KUBE-IX-/;

/**
 * May a node proxy of this kind have made the chain, and nobody else? Then it goes when it is no longer wanted.
 * KUBE-FIREWALL is shared with kubelet and not among them; other KUBE chains are kubelet's.
 */
export function isOurChain(table: TableName, chain: string | undefined): boolean {
  if (chain === undefined) return false;
  if (table === "nat" && OF_SERVICES.test(chain)) return true;
  return FIXED.get(table)?.has(chain) === true || ((table === "nat" || table === "filter") && INDEXED.test(chain));
}
