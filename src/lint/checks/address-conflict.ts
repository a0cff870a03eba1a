// Which two Services answer at one address, port and protocol?
import type { ClusterCheck } from "../check.ts";
import { addressClaims, clashesOf } from "../claims.ts";
import { clashRemark } from "../clash-words.ts";

export const addressConflict: ClusterCheck = {
  id: "address-conflict",
  severity: "error",
  *find(cluster) {
    for (const [first, late] of clashesOf(addressClaims(cluster))) yield clashRemark(first, late, cluster.options);
  },
};
