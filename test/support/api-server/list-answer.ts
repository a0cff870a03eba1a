// How does the test's API server answer a list?
import { type Answer, buildStatus } from "./answer.ts";
import { readFilter } from "./selectors.ts";
import type { ApiObject, Store } from "./store.ts";

/** The rest of a list that was begun. */
interface Rest {
  readonly version: number;
  readonly objects: readonly ApiObject[];
}

/** What is listed. */
export interface Listed {
  readonly kind: string;
  readonly apiVersion: string;
  /** Only what is in this namespace. */
  readonly namespace?: string;
}

const PIECE = 65_536;

/** Answers lists of one store, page by page. A page's rest is that of the moment of the first, as etcd keeps it. */
export class Lists {
  readonly #store: Store;
  readonly #rests = new Map<string, Rest>();
  #tokens = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Tokens given out are worth nothing any more. */
  expire(): void {
    this.#rests.clear();
  }

  async answer(answer: Answer, kind: Listed, query: URLSearchParams) {
    const asked = Number(query.get("resourceVersion") ?? 0);
    if (asked > this.#store.version) {
      const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
      return answer.refuse(504, buildStatus(504, "Timeout", { details: { causes, retryAfterSeconds: 1 } }));
    }
    const token = query.get("continue");
    const rest = token === null ? this.#begin(kind, query) : this.#rests.get(token);
    if (rest) await this.#writePage(answer, kind, this.#cut(rest, Number(query.get("limit") ?? 0)));
    else answer.refuse(410, buildStatus(410, "Expired"));
  }

  #begin({ kind, namespace }: Listed, query: URLSearchParams): Rest {
    const all = this.#store.list(kind).filter(readFilter(query));
    const isIn = ({ metadata }: ApiObject) => namespace === undefined || metadata.namespace === namespace;
    return { version: this.#store.version, objects: all.filter(isIn) };
  }

  #cut({ version, objects }: Rest, limit: number): Rest & { readonly next: string } {
    if (limit === 0 || objects.length <= limit) return { version, objects, next: "" };
    const next = `token-${++this.#tokens}`;
    this.#rests.set(next, { version, objects: objects.slice(limit) });
    return { version, objects: objects.slice(0, limit), next };
  }

  // As the real one: the items' own kind is left to the list, and the list is written while it is made.
  async #writePage(
    answer: Answer,
    { kind, apiVersion }: Listed,
    { version, objects, next }: Rest & { readonly next: string },
  ): Promise<void> {
    answer.begin();
    const metadata = { resourceVersion: String(version), ...(next !== "" && { continue: next }) };
    let text = `{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"items":[`;
    for (const [index, { kind: _, apiVersion: __, ...object }] of objects.entries()) {
      text += `${index === 0 ? "" : ","}${JSON.stringify(object)}`;
      if (text.length < PIECE) continue;
      await answer.write(text);
      text = "";
    }
    await answer.write(`${text}]}\n`);
    await answer.end();
  }
}
