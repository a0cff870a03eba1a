// How is text of many lines handed to a program? In pieces: a stream that is given line by line takes four times as long.

/** Characters: a quarter of what a pipe holds, so that the program reads one piece while we make the next. */
const ENOUGH = 16_384;

/** The same text in pieces of at least this length, but for the last. Nothing is read ahead of a piece. */
export function* inPieces(lines: Iterable<string>): Iterable<string> {
  let held: string[] = [];
  let length = 0;
  for (const line of lines) {
    held.push(line);
    length += line.length;
    if (length < ENOUGH) continue;
    yield held.join("");
    held = [];
    length = 0;
  }
  if (length > 0) yield held.join("");
}
