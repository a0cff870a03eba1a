// Where does an object or list of JSON end that is whole in a text? One search, all of it native.

/** Lists and objects in each other; what lies deeper is not found. What an API server tells has ten at most. */
const DEEPEST = 24;

// Neither marks nor texts: what is left between them. As each part begins with a character that no other begins with,
// there is one way to match, and what does not match is given up in a time that grows with its length alone.
const PLAIN = String.raw`[^"{}[\]]*`;
const TEXT = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;

const WHOLE = new RegExp(nested(DEEPEST), "y");

function nested(depth: number): string {
  const inside = depth === 1 ? TEXT : `${TEXT}|${nested(depth - 1)}`;
  return `[{[]${PLAIN}(?:(?:${inside})${PLAIN})*[}\\]]`;
}

/** The index behind the object or list that begins at `start`; -1 where it does not end in the text, or is another value. */
export function findWholeEnd(text: string, start: number): number {
  WHOLE.lastIndex = start;
  return WHOLE.test(text) ? WHOLE.lastIndex : -1;
}
