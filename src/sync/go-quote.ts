// How does Go quote a text?

/** What Go's `%q` has a letter of its own for. */
const LETTERS: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\v", "\\v"],
]);

/** All that needs an escape: what Go does not call printable (of blanks only the ASCII one is), and `"` and `\`. */
const ESCAPED = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** The text as `strconv.Quote` prints it. Half of a surrogate pair becomes `\ufffd`, as it does on the wire. */
export function goQuote(text: string): string {
  return `"${text.replace(ESCAPED, (char) => LETTERS.get(char) ?? escapeChar(Number(char.codePointAt(0))))}"`;
}

function escapeChar(code: number): string {
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  if (code > 0xffff) return `\\U${hex(code, 8)}`;
  return `\\u${code >= 0xd800 && code <= 0xdfff ? "fffd" : hex(code, 4)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}
