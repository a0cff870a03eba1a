// What does the test's API server hold, and what happened to it?

/** An object as it goes over the wire. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly resourceVersion?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** Which object; the namespace of a Node is empty or left out. */
export interface ApiIdentity {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** One change of one object. */
export interface Happening {
  readonly version: number;
  readonly before: ApiObject | undefined;
  /** The object now; what was deleted last stood as `before`. */
  readonly after: ApiObject | undefined;
}

/** Objects with one count of versions for all, as etcd has it. */
export class Store {
  readonly #objects = new Map<string, ApiObject>();
  #history: Happening[] = [];
  #version = 100;
  #compacted = 0;
  readonly #listeners = new Set<(happening: Happening) => void>();

  get version(): number {
    return this.#version;
  }

  /** No version up to this one can be watched on from. */
  get compacted(): number {
    return this.#compacted;
  }

  set(object: ApiObject): string {
    const version = String(++this.#version);
    const key = printKey({ kind: object.kind, ...object.metadata });
    const after = { ...object, metadata: { ...object.metadata, resourceVersion: version } };
    this.#record({ version: this.#version, before: this.#objects.get(key), after });
    this.#objects.set(key, after);
    return version;
  }

  delete(identity: ApiIdentity): void {
    const before = this.#objects.get(printKey(identity));
    if (!before) return;
    this.#objects.delete(printKey(identity));
    this.#record({ version: ++this.#version, before, after: undefined });
  }

  /** All objects of a kind by name. */
  list(kind: string): readonly ApiObject[] {
    const entries = [...this.#objects].filter(([, object]) => object.kind === kind);
    return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  find(identity: ApiIdentity): ApiObject | undefined {
    return this.#objects.get(printKey(identity));
  }

  since(version: number): readonly Happening[] {
    return this.#history.filter((happening) => happening.version > version);
  }

  /** Forgets the past. */
  compact(): void {
    this.#compacted = this.#version;
    this.#history = [];
  }

  listen(listener: (happening: Happening) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #record(happening: Happening): void {
    this.#history.push(happening);
    for (const listener of [...this.#listeners]) listener(happening);
  }
}

function printKey({ kind, namespace, name }: ApiIdentity): string {
  return `${kind} ${namespace ?? ""}/${name}`;
}
