// Reads the objects of a live cluster; each resource once, however often it is asked for.
import type { KubernetesObject } from "../api/objects.ts";
import { joinReadings, type Reading } from "../api/reading.ts";
import { InputError } from "../errors.ts";
import { connectCluster } from "../source/api-connection.ts";
import { listObjects } from "../source/cluster-objects.ts";
import type { Server } from "../source/exchange.ts";
import type { WrittenObject } from "../source/manifest-text.ts";
import { type PodName, podResource, printPath, type Resource, WHOLE_CLUSTER } from "../source/resources.ts";
import { systemTiming } from "../source/timing.ts";
import type { Progress } from "./progress.ts";
import { reportedVersion } from "./version.ts";

/** Objects, and what a reader should know of how they were read. */
interface ListedObjects extends Reading<KubernetesObject> {
  readonly notes: readonly string[];
}

/** As kubectl asks: someone waits for the answer. */
const RATE = { qps: 50, burst: 300 };

/** Services, EndpointSlices and Nodes, and Pods by name. Methods are called one after the other. */
export class LiveCluster {
  readonly #kubeconfig: string;
  readonly #progress: Progress;
  /** By path, with the selectors. */
  readonly #read = new Map<string, Reading<KubernetesObject>>();
  #notes: string[] = [];

  /** Path of a kubeconfig; empty: the cluster that this process is in a Pod of. */
  constructor(kubeconfig: string, progress: Progress) {
    this.#kubeconfig = kubeconfig;
    this.#progress = progress;
  }

  /**
   * All but Pods, and these Pods with those that were asked for before. Notes are told once. Rejects with InputError
   * where the cluster cannot be asked, or does not answer; a Pod that must not be seen may be known by EndpointSlices.
   */
  async objects(pods: readonly PodName[]): Promise<ListedObjects> {
    const wanted = [...WHOLE_CLUSTER, ...pods.map(podResource)];
    const missing = new Map(wanted.map((resource) => [printPath(resource, {}), resource]));
    for (const key of this.#read.keys()) missing.delete(key);
    if (missing.size > 0) {
      await this.#connected(async (server) => {
        for (const [key, resource] of missing) this.#read.set(key, await this.#readOne(server, resource));
      });
    }
    return { ...joinReadings([...this.#read.values()]), notes: this.#takeNotes() };
  }

  /** All but Pods, each as it is told; and notes. Rejects as `objects` does. */
  async written(): Promise<{ readonly written: readonly WrittenObject[]; readonly notes: readonly string[] }> {
    const written: WrittenObject[] = [];
    await this.#connected(async (server) => {
      for (const resource of WHOLE_CLUSTER) {
        for (const each of await this.#list(server, resource, (listed) => listed)) written.push(each);
      }
    });
    return { written, notes: this.#takeNotes() };
  }

  async #readOne(server: Server, resource: Resource): Promise<Reading<KubernetesObject>> {
    try {
      // What was told of an object is let go as soon as it is read.
      return joinReadings(await this.#list(server, resource, ({ reading }) => reading));
    } catch (error) {
      if (resource.kind !== "Pod" || !(error instanceof InputError)) throw error;
      this.#notes.push(`note: ${error.message}; EndpointSlices may know the Pod`);
      return joinReadings([]);
    }
  }

  #list<T>(server: Server, resource: Resource, keep: (listed: WrittenObject) => T): Promise<readonly T[]> {
    const tell = (count: number) => this.#progress.show(() => `reading ${resource.name}: ${count}`);
    return listObjects(server, resource, { keep, tell });
  }

  async #connected(ask: (server: Server) => Promise<void>): Promise<void> {
    const userAgent = `fairlead/${reportedVersion(new Map())} (${process.platform}/${process.arch})`;
    const client = { ...RATE, kubeconfig: this.#kubeconfig };
    const warn = (text: string) => void this.#notes.push(`warning: ${text}`);
    const connection = await connectCluster({ client, master: "", userAgent, warn });
    try {
      await ask({ connection, timing: systemTiming });
    } finally {
      await connection.close();
    }
  }

  #takeNotes(): readonly string[] {
    const notes = this.#notes;
    this.#notes = [];
    return notes;
  }
}
