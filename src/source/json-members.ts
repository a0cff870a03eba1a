// Where do the members of a JSON value stand in its text?

/** One member of an object, or one item of a list. */
export interface JsonMember {
  readonly name: string | number;
  /** Offset of the value's first character. */
  readonly start: number;
}

const TEXT = /"(?:[^"\\]+|\\.)*"/y;
const WORD = /[^\s,\]}]+/y;
const STRUCTURE = /"(?:[^"\\]+|\\.)*"|[[\]{}]/g;
const MARKS = /[\s,:]*/y;

/** The members of the object or list that begins at `start`, in order; none where another value does. The text is sound JSON. */
export function* jsonMembers(text: string, start: number): Generator<JsonMember> {
  const isList = text[start] === "[";
  if (!isList && text[start] !== "{") return;
  let at = skip(MARKS, text, start + 1);
  for (let position = 0; text[at] !== "]" && text[at] !== "}"; position++) {
    const nameEnd = isList ? at : skip(TEXT, text, at);
    const name = isList ? position : String(JSON.parse(text.slice(at, nameEnd)));
    const value = skip(MARKS, text, nameEnd);
    yield { name, start: value };
    at = skip(MARKS, text, endOf(text, value));
  }
}

function endOf(text: string, start: number): number {
  const first = text[start];
  if (first === '"') return skip(TEXT, text, start);
  if (first !== "{" && first !== "[") return skip(WORD, text, start);
  STRUCTURE.lastIndex = start;
  let depth = 0;
  do {
    const [mark = ""] = STRUCTURE.exec(text) ?? [];
    if (mark === "{" || mark === "[") depth++;
    else if (mark === "}" || mark === "]") depth--;
  } while (depth > 0);
  return STRUCTURE.lastIndex;
}

// In sound JSON each pattern matches wherever it is tried.
function skip(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  pattern.test(text);
  return pattern.lastIndex;
}
