// On which line of its file does a field of an object stand?
import { isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseDocument } from "yaml";
import { type FieldPath, parseFieldPath } from "./field-path.ts";
import { jsonMembers } from "./json-members.ts";
import type { WrittenPart, WrittenText } from "./written-text.ts";

/**
 * Finds lines by reading a document again. What was read last is kept: ask for the fields of one document one after
 * the other, and for the documents of one file too.
 */
export class LineFinder {
  #text: WrittenText | undefined;
  #lines = new LineCounter();
  /** By the list's offset, where its items stand. */
  readonly #items = new Map<number, readonly number[]>();
  #document: { readonly start: number; readonly contents: ParsedNode | null } | undefined;

  /** One-based line of the field, or of the innermost part of the way to it that is there. */
  lineOf(part: WrittenPart, field: string): number {
    this.#enter(part.whole);
    const path = [...part.path, ...parseFieldPath(field)];
    const offset = part.whole.language === "json" ? this.#findJson(part, path) : this.#findYaml(part, path);
    return this.#lines.linePos(offset).line;
  }

  #enter(whole: WrittenText): void {
    if (this.#text === whole) return;
    this.#text = whole;
    this.#document = undefined;
    this.#items.clear();
    this.#lines = new LineCounter();
    this.#lines.addNewLine(0);
    for (let at = whole.text.indexOf("\n"); at >= 0; at = whole.text.indexOf("\n", at + 1)) {
      this.#lines.addNewLine(at + 1);
    }
  }

  #findYaml({ whole, start, end }: WrittenPart, path: FieldPath): number {
    const known = this.#document;
    const options = { merge: true, prettyErrors: false, logLevel: "error" } as const;
    const document =
      known?.start === start
        ? known
        : { start, contents: parseDocument(whole.text.slice(start, end), options).contents };
    this.#document = document;
    return start + offsetIn(document.contents, path);
  }

  #findJson({ whole, start }: WrittenPart, path: FieldPath): number {
    let at = start;
    for (const step of path) {
      const next = typeof step === "number" ? this.#itemsOf(whole.text, at)[step] : memberOf(whole.text, at, step);
      if (next === undefined) return at;
      at = next;
    }
    return at;
  }

  // A list may hold a whole cluster, so it is gone through once for all of its items.
  #itemsOf(text: string, start: number): readonly number[] {
    const items = this.#items.get(start) ?? [...jsonMembers(text, start)].map((item) => item.start);
    this.#items.set(start, items);
    return items;
  }
}

function memberOf(text: string, start: number, name: string): number | undefined {
  for (const member of jsonMembers(text, start)) if (member.name === name) return member.start;
  return undefined;
}

// The line of a member is that of its name: its value may begin further down.
function offsetIn(contents: ParsedNode | null, path: FieldPath): number {
  let node: unknown = contents;
  let offset = contents?.range[0] ?? 0;
  for (const step of path) {
    if (isMap<ParsedNode, ParsedNode | null>(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === step);
      if (!pair) break;
      offset = pair.key.range[0];
      node = pair.value;
    } else {
      const item = isSeq<ParsedNode>(node) && typeof step === "number" ? node.items[step] : undefined;
      if (!item) break;
      node = item;
      offset = item.range[0];
    }
  }
  return offset;
}
