// How does the test's API server answer a watch?
import { type Answer, buildStatus } from "./answer.ts";
import { type Filter, readFilter } from "./selectors.ts";
import type { ApiObject, Happening, Store } from "./store.ts";

interface Kind {
  readonly kind: string;
  readonly apiVersion: string;
}

/** A line, and the name of the object that it is about. */
interface Line {
  readonly about: string;
  readonly text: string;
}

/** From where a watch tells: of what exists, from a version, or from one that is gone. */
type Beginning = { readonly type: "streamed" | "gone" } | { readonly type: "version"; readonly version: number };

/** One watch that is open. */
export class Watch {
  readonly #answer: Answer;
  readonly #kind: Kind;
  readonly #filter: Filter;
  readonly #store: Store;
  #held: Line | undefined;
  #deaf = () => {};

  constructor(
    answer: Answer,
    kind: Kind,
    { store, query }: { readonly store: Store; readonly query: URLSearchParams },
  ) {
    this.#answer = answer;
    this.#kind = kind;
    this.#store = store;
    this.#filter = readFilter(query);
    answer.onClose(() => this.#deaf());
  }

  /** Tells what exists or what happened after a version, and then what happens. */
  open(from: Beginning): void {
    this.#answer.begin();
    const { trouble } = this.#answer;
    if (trouble?.type === "body") this.#write({ about: "", text: trouble.text });
    if (trouble?.type === "error event") this.#tellError(trouble.code, trouble.reason);
    else if (from.type === "gone") this.#tellError(410, "Expired");
    else if (trouble?.type !== "end" || trouble.told === "all") {
      if (from.type === "version") for (const happening of this.#store.since(from.version)) this.#tell(happening);
      else this.#tellAll();
      this.#deaf = this.#store.listen((happening) => this.#tell(happening));
    }
    if (trouble?.type === "end") this.end();
  }

  #tellError(code: number, reason = ""): void {
    this.#write({ about: "", text: printEvent("ERROR", buildStatus(code, reason)) });
    this.end();
  }

  bookmark(annotations: Readonly<Record<string, string>> = {}): void {
    const metadata = { resourceVersion: String(this.#store.version), creationTimestamp: null, annotations };
    this.#write({ about: "", text: printEvent("BOOKMARK", { ...this.#kind, metadata, spec: {} }) });
  }

  /** As when the time is over. */
  end(): void {
    this.#deaf();
    this.#flush();
    void this.#answer.end();
  }

  drop(): void {
    this.#deaf();
    this.#answer.drop();
  }

  #tellAll(): void {
    for (const object of this.#store.list(this.#kind.kind).filter(this.#filter)) {
      this.#write({ about: object.metadata.name, text: printEvent("ADDED", object) });
    }
    if (this.#answer.trouble?.type !== "no bookmark") this.bookmark({ "k8s.io/initial-events-end": "true" });
  }

  // An object that leaves the selection is deleted for this watcher, as it last was, with the version of the change.
  #tell({ version, before, after }: Happening): void {
    const was = before?.kind === this.#kind.kind && this.#filter(before) ? before : undefined;
    const is = after?.kind === this.#kind.kind && this.#filter(after) ? after : undefined;
    const object = is ?? was;
    if (!object) return;
    const type = is ? (was ? "MODIFIED" : "ADDED") : "DELETED";
    const metadata = { ...object.metadata, resourceVersion: String(version) };
    this.#write({ about: object.metadata.name, text: printEvent(type, { ...object, metadata }) });
  }

  #write(line: Line): void {
    const type = this.#answer.trouble?.type;
    if (type === "swap" && line.about !== "" && this.#held?.about !== line.about) {
      this.#swap(line);
    } else {
      this.#flush();
      void this.#answer.write(line.text);
    }
    if (type === "duplicate") void this.#answer.write(line.text);
  }

  #swap(line: Line): void {
    if (!this.#held) {
      this.#held = line;
      return;
    }
    void this.#answer.write(line.text);
    this.#flush();
  }

  #flush(): void {
    if (this.#held) void this.#answer.write(this.#held.text);
    this.#held = undefined;
  }
}

function printEvent(type: string, object: object | ApiObject): string {
  return `${JSON.stringify({ type, object })}\n`;
}
