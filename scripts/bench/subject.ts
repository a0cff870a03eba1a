// What one sandbox measures.
import type { Options } from "../../src/options/options.ts";
import type { Size } from "./cluster.ts";

/** How the rules of iptables mode are laid out. */
export type Layout = Options["iptablesLayout"];

export const LAYOUTS: readonly Layout[] = ["Compat", "Indexed"];

export interface Subject {
  readonly layout: Layout;
  readonly size: Size;
  /** How long `churn` lasts. */
  readonly seconds: number;
  /** Of the one Service that `endpoints` is about. */
  readonly endpointsOfOne: number;
  /** Path of a kube-proxy binary that `load` measures beside ours. */
  readonly kubeProxyBinary?: string;
}
