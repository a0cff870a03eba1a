// Which documents of a YAML text can be read in a fraction of the time?
import { CORE_SCHEMA, load } from "js-yaml";

/** A run of a text: one document, or what stands before the first. */
export interface Piece {
  /** Offset of its first character, and of the one behind it. */
  readonly start: number;
  readonly end: number;
}

/** What says something of the text as a whole, or where a document ends without another one beginning. */
const WHOLE = /^(?:\ufeff|%|\.\.\.)/m;

const MARKER = /^---(?=\s|$)/gm;

/** The text, cut before each document; one piece where its documents cannot be told apart that simply. */
export function yamlPieces(text: string): readonly Piece[] {
  if (WHOLE.test(text)) return [{ start: 0, end: text.length }];
  const starts = [...text.matchAll(MARKER)].map(({ index }) => index);
  const all = starts[0] === 0 ? starts : [0, ...starts];
  return all.map((start, nth) => ({ start, end: all[nth + 1] ?? text.length }));
}

/** Anchors, aliases, tags, merges and tabs: what readers of YAML do not all understand alike. */
const UNCOMMON = /[&*!\t]|<<|^(?:\ufeff|%|\.\.\.)/m;

/** The value of one document, as the other reader would have it; undefined where that one has to be asked. */
export function readPlain(document: string): { readonly value: unknown } | undefined {
  if (UNCOMMON.test(document)) return undefined;
  try {
    return { value: load(document, { schema: CORE_SCHEMA }) };
  } catch {
    // Whatever is wrong, the other reader says it better, and knows where.
    return undefined;
  }
}
