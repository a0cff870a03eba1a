// Waits for this node's object before the daemon starts.
import { printIdentity, printObject } from "../api/object-name.ts";
import type { Node } from "../api/objects.ts";
import type { Batch, Change, SetObject, Source } from "../source/source.ts";
import type { Clock } from "../sync/schedule.ts";
import { FatalError } from "./failure.ts";

/** Milliseconds, counted from the first whole list of Nodes. */
export interface NodePatience {
  /** How long to wait for the Node and an address of it. */
  readonly addresses: number;
  /** How much longer to wait for its pod ranges. */
  readonly podCIDRs: number;
}

/** kube-proxy's. */
export const NODE_PATIENCE: NodePatience = { addresses: 30_000, podCIDRs: 300_000 };

export interface NodeWait {
  readonly source: Source;
  readonly nodeName: string;
  /** Nothing can be done without pod ranges: detect-local mode NodeCIDR. */
  readonly needsPodCIDRs: boolean;
  readonly patience: NodePatience;
  readonly clock: Clock;
  /** Takes each batch that is read, for its problems. */
  readonly report: (batch: Batch) => void;
}

export interface FoundNode {
  /** As it stands; undefined when there is none, or the source ended. */
  readonly node: Node | undefined;
  /** The objects that the source has told so far, as one batch, and then its further batches. To be gone through once. */
  readonly source: Source;
  /** Ends the source, whether it was gone through or not. */
  readonly close: () => Promise<void>;
}

/**
 * Reads from the source until all Nodes are told, however long that takes, then until this node has an address or
 * patience is at its end. Rejects with FatalError where pod ranges are needed and do not come.
 */
export async function waitForNode(input: NodeWait): Promise<FoundNode> {
  const { nodeName, needsPodCIDRs, patience } = input;
  const reader = new NodeReader(input);
  await reader.readUntil(() => reader.isComplete);
  await reader.readUntil(() => (reader.node?.addresses.length ?? 0) > 0, patience.addresses);
  if (needsPodCIDRs) {
    const came = await reader.readUntil(() => (reader.node?.podCIDRs.length ?? 0) > 0, patience.podCIDRs);
    if (came === "too late") throw new FatalError(timeoutText(nodeName, reader.node));
  }
  return { node: reader.node, source: reader.rest(), close: () => reader.close() };
}

function timeoutText(nodeName: string, node: Node | undefined): string {
  const name = JSON.stringify(nodeName);
  return node ? `timeout waiting for PodCIDR allocation on node ${name}` : `timeout waiting for node ${name} to exist`;
}

/**
 * Reads ahead and keeps the newest version of each object for the reader that comes next. However long the Node cannot
 * be listed, and however many events arrive meanwhile, this takes no more memory than the objects themselves.
 */
class NodeReader {
  node: Node | undefined;
  isComplete = false;
  readonly #batches: AsyncIterator<Batch>;
  readonly #clock: Clock;
  readonly #nodeName: string;
  readonly #report: NodeWait["report"];
  /** By kind and name. */
  readonly #objects = new Map<string, SetObject>();
  readonly #completions = new Map<string, Change>();
  /** Asked for and not come yet. */
  #next: Promise<IteratorResult<Batch>> | undefined;
  #ended = false;

  constructor({ source, clock, nodeName, report }: NodeWait) {
    this.#batches = source[Symbol.asyncIterator]();
    this.#clock = clock;
    this.#nodeName = nodeName;
    this.#report = report;
  }

  /** Reads while it is not so, for so many milliseconds, or until the source ends. */
  async readUntil(isSo: () => boolean, patience = Number.POSITIVE_INFINITY): Promise<"so" | "ended" | "too late"> {
    const end = this.#clock.now() + patience;
    while (!isSo()) {
      if (this.#ended) return "ended";
      this.#next ??= this.#batches.next();
      const result = await this.#within(end - this.#clock.now(), this.#next);
      if (!result) return "too late";
      this.#take(result);
    }
    return "so";
  }

  async *rest(): AsyncGenerator<Batch, void, undefined> {
    const changes = [...this.#objects.values(), ...this.#completions.values()];
    this.#objects.clear();
    if (changes.length > 0) yield { changes, problems: [], passedOver: [] };
    while (!this.#ended) {
      const { done, value } = await (this.#next ?? this.#batches.next());
      this.#next = undefined;
      if (done) return;
      yield value;
    }
  }

  async close(): Promise<void> {
    await this.#batches.return?.();
  }

  // A race with a promise that lives as long as the wait would keep a reaction for each batch.
  #within<T>(delay: number, promise: Promise<T>): Promise<T | undefined> {
    if (delay === Number.POSITIVE_INFINITY) return promise;
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(Math.max(0, delay), () => resolve(undefined));
      void promise.then(resolve, reject).finally(cancel);
    });
  }

  #take({ done, value }: IteratorResult<Batch>): void {
    this.#next = undefined;
    this.#ended = done === true;
    if (done) return;
    this.#report(value);
    for (const change of value.changes) this.#note(change);
  }

  #note(change: Change): void {
    if (change.type === "set") this.#objects.set(printObject(change.object), change);
    // The consumer has never received the object.
    else if (change.type === "delete") this.#objects.delete(printIdentity(change.identity));
    else this.#completions.set(change.kind, change);
    if (change.type === "complete" && change.kind === "Node") this.isComplete = true;
    const told = nodeIn(change, this.#nodeName);
    if (told) this.node = told.node;
  }
}

/** What a change says of this node: how it is, or that it is gone; undefined: nothing. */
export function nodeIn(change: Change, nodeName: string): { readonly node: Node | undefined } | undefined {
  if (change.type === "set" && change.object.kind === "Node" && change.object.name === nodeName) {
    return { node: change.object };
  }
  const isGone = change.type === "delete" && change.identity.kind === "Node" && change.identity.name === nodeName;
  return isGone ? { node: undefined } : undefined;
}
