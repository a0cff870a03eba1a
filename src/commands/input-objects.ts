// Where do the objects come from that a command looks at: files, or a live cluster?
import { readManifests } from "../source/manifests.ts";
import type { PodName } from "../source/resources.ts";
import type { LiveCluster, ReadObjects } from "./live-cluster.ts";
import type { Progress } from "./progress.ts";

export interface ObjectsChoice {
  /** Files, directories, `-` for standard input. */
  readonly paths: readonly string[];
  /** Read in place of paths. */
  readonly cluster?: LiveCluster | undefined;
  readonly progress: Progress;
}

/**
 * Reads all objects once; of a live cluster's Pods only these. Bad ones are among the problems. Rejects with InputError
 * for a cluster that cannot be read.
 */
export async function readObjects(choice: ObjectsChoice, pods: readonly PodName[] = []): Promise<ReadObjects> {
  const { paths, cluster, progress } = choice;
  if (cluster) return cluster.objects(pods);
  return { ...(await readManifests(paths, { tell: tellShare(progress) })), notes: [] };
}

/** Shows how much of a file was read. */
export function tellShare(progress: Progress): (path: string, share: number) => void {
  return (path, share) => progress.show(() => `reading ${path} ${Math.floor(share * 100)} %`);
}
