// Which Services are served first when a node starts?
import type { Fragment } from "../state/kernel-state.ts";

/** The API server and the cluster's names are what all else waits for. */
const URGENT = /^(?:default\/kubernetes|kube-system\/(?:kube-dns|coredns))(?::|\/)/;

export function isUrgent({ key }: Fragment): boolean {
  return URGENT.test(key);
}
