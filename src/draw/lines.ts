// How does a long text become a few short lines?

/** Letters in a line of a box or on an arrow. */
const WIDTH = 40;

/** Lines of one box or arrow. */
const MOST = 8;

/** The pieces joined by `, `, broken only between two, further lines set in. A piece alone may be longer than a line. */
export function joinPieces(pieces: readonly string[]): readonly string[] {
  return fill(pieces.map((piece, index) => (index === pieces.length - 1 ? piece : `${piece},`)));
}

/** Prose, broken at blanks. */
export function wrapWords(text: string): readonly string[] {
  return fill(text.split(" "));
}

/** The first lines, and how many were left out. */
export function shorten(lines: readonly string[]): readonly string[] {
  return lines.length <= MOST ? lines : [...lines.slice(0, MOST - 1), `+ ${lines.length - MOST + 1} more`];
}

/** All lines, but none of a text that was there before. */
export function distinctTexts(texts: Iterable<readonly string[]>): readonly string[] {
  const lines: string[] = [];
  const seen = new Set<string>();
  for (const text of texts) {
    const whole = text.join("\n");
    if (!seen.has(whole)) lines.push(...text);
    seen.add(whole);
  }
  return lines;
}

function fill(pieces: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const open = lines.at(-1);
    if (open === undefined) lines.push(piece);
    else if (open.length + piece.length < WIDTH) lines.splice(-1, 1, `${open} ${piece}`);
    else lines.push(`  ${piece}`);
  }
  return lines;
}
