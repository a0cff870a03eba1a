// How do the rules for a cluster get into the node's namespace?
import type { Cluster } from "./cluster.ts";
import { restoreGolden } from "./golden-rules.ts";
import type { Netns } from "./netns.ts";

/** Puts a cluster's rules into the node; gives back what ends the process that keeps them there. */
export async function load(cluster: Cluster, node: Netns, env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  await restoreGolden(cluster, node, env);
  return async () => {};
}
