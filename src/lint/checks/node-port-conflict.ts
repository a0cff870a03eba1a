// Which two Services have one node port?
import type { ClusterCheck } from "../check.ts";
import { clashesOf, nodePortClaims } from "../claims.ts";
import { clashRemark } from "../clash-words.ts";

export const nodePortConflict: ClusterCheck = {
  id: "node-port-conflict",
  severity: "error",
  *find(cluster) {
    for (const [first, late] of clashesOf(nodePortClaims(cluster))) yield clashRemark(first, late, cluster.options);
  },
};
