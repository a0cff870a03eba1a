// Tells a queue which objects of one kind are new, changed or gone, from lists and watch events that may repeat themselves.
import { readObjectHead } from "../api/envelope.ts";
import type { ObjectIdentity } from "../api/object-name.ts";
import { InputError } from "../errors.ts";
import { type BatchQueue, type News, NOTHING, type Notes } from "./batch-queue.ts";
import { isOlder } from "./resource-version.ts";
import type { Resource } from "./resources.ts";
import { readObject } from "./triggered-object.ts";

/** Most problems reported for one object: a slice may have thousands. */
const MOST_PROBLEMS = 10;

/** Deleted objects that are remembered where a server sends no bookmarks. */
const MOST_DELETED = 1000;

/**
 * Holds each object's version, not the object, and tells a queue what differs. An object that cannot be read any more
 * stays what it was when it could be read, until it is readable again or deleted.
 */
export class KnownObjects {
  readonly #resource: Resource;
  readonly #queue: BatchQueue;
  /** By `namespace/name`. */
  readonly #versions = new Map<string, string>();
  /** Known here and not to the reader: never readable, or passed over. */
  readonly #withheld = new Set<string>();
  /** What was complained about last, of each object that gives reason to. */
  readonly #complaints = new Map<string, string>();
  /** What a list that is under way has not named yet. */
  #missing: Set<string> | undefined;
  /** The list under way has an item without a name, which may be any of the missing ones. */
  #hasNameless = false;
  /**
   * Versions of objects that the watch deleted since its last bookmark, so that an older event which arrives late does
   * not bring one back.
   */
  readonly #deleted = new Map<string, string>();
  #changes = 0;

  constructor(resource: Resource, queue: BatchQueue) {
    this.#resource = resource;
    this.#queue = queue;
  }

  /** How many objects were set or deleted so far. */
  get changes(): number {
    return this.#changes;
  }

  /** The watch has sent all events up to here. */
  bookmark(): void {
    this.#deleted.clear();
  }

  /** A list begins; if one was under way, that one does not count. */
  begin(): void {
    this.#deleted.clear();
    this.#missing = new Set(this.#versions.keys());
    this.#hasNameless = false;
  }

  /** The list was whole: what it did not name is gone. */
  end(): void {
    if (!this.#hasNameless) for (const key of this.#missing ?? []) this.#forget(key);
    this.#missing = undefined;
    this.#queue.complete(this.#resource.kind);
  }

  /** An object of a list, or one that a watch says was added or modified; a watch may say so twice, or late. */
  item(raw: unknown): void {
    const head = this.#readHead(raw);
    if (!head) return;
    const { key, version } = head;
    const known = this.#versions.get(key);
    const newest = known ?? this.#deleted.get(key);
    this.#missing?.delete(key);
    if (newest === version) return;
    // Only a list may go back: the cluster may have been restored from a backup.
    if (newest !== undefined && !this.#missing && isOlder(version, newest)) return;
    this.#deleted.delete(key);
    this.#versions.set(key, version);
    this.#tell(key, raw, known !== undefined && !this.#withheld.has(key));
  }

  /** An object that a watch says is gone. */
  remove(raw: unknown): void {
    const head = this.#readHead(raw);
    if (!head) return;
    const known = this.#versions.get(head.key);
    if (known !== undefined && isOlder(head.version, known)) return;
    this.#deleted.set(head.key, head.version);
    const [oldest] = this.#deleted.keys();
    if (this.#deleted.size > MOST_DELETED && oldest !== undefined) this.#deleted.delete(oldest);
    if (known !== undefined) this.#forget(head.key);
  }

  #readHead(raw: unknown): { readonly key: string; readonly version: string } | undefined {
    const head = readObjectHead(raw);
    if (head) return { key: `${head.namespace}/${head.name}`, version: head.resourceVersion };
    this.#hasNameless = true;
    const problem = new InputError({ source: this.#resource.path }, "an object without metadata.name");
    this.#put("", { change: undefined, notes: this.#complain("", { problems: [problem], passedOver: [] }) }, false);
    return undefined;
  }

  #tell(key: string, raw: unknown, told: boolean): void {
    const { objects, problems, passedOver } = readObject(this.#resource, raw);
    const [change] = objects;
    const isUnreadable = !change && passedOver.length === 0;
    const keepsLast = told && isUnreadable;
    const notes = this.#complain(key, { problems: problemsToTell(problems, keepsLast), passedOver });
    if (!keepsLast) {
      if (change) this.#withheld.delete(key);
      else this.#withheld.add(key);
    }
    const end = told && !keepsLast ? this.#deletionOf(key) : undefined;
    this.#put(key, { change: change ?? end, notes }, told);
  }

  #forget(key: string): void {
    this.#versions.delete(key);
    this.#complaints.delete(key);
    if (!this.#withheld.delete(key)) {
      this.#put(key, { change: this.#deletionOf(key), notes: NOTHING }, true);
    }
  }

  #put(key: string, news: News, told: boolean): void {
    if (news.change) this.#changes++;
    this.#queue.put(`${this.#resource.kind} ${key}`, news, told);
  }

  #deletionOf(key: string): { readonly type: "delete"; readonly identity: ObjectIdentity } {
    const [namespace = "", name = ""] = key.split("/");
    return { type: "delete", identity: { kind: this.#resource.kind, namespace, name } };
  }

  // Objects change often without a change of what is wrong with them.
  #complain(key: string, notes: Notes): News["notes"] {
    const text = [...notes.problems.map(({ message }) => message), ...notes.passedOver.map(({ reason }) => reason)];
    const before = this.#complaints.get(key) ?? "";
    const now = text.join("\n");
    if (now === "") this.#complaints.delete(key);
    else this.#complaints.set(key, now);
    return now === before ? "as before" : notes;
  }
}

function problemsToTell(problems: readonly InputError[], keepsLast: boolean): readonly InputError[] {
  const [first] = problems;
  const left = problems.length - MOST_PROBLEMS;
  const { field: _, ...object } = first?.place ?? {};
  const more = left > 0 ? [new InputError(object, `${left} more problems of this object`)] : [];
  const told = [...problems.slice(0, MOST_PROBLEMS), ...more];
  if (!keepsLast) return told;
  return told.map(({ place, reason }) => {
    return new InputError(place, `${reason}; the last valid version of the object stays in use`);
  });
}
