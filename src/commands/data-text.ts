// How is data written as JSON or YAML, line by line, so that a large cluster's worth never is one text?

/** Something with fields or items; lists may be worked out while they are written. */
export type Data = string | number | boolean | null | Iterable<Data> | { readonly [field: string]: Data | undefined };

export const DATA_FORMATS = ["json", "yaml"] as const;

export type DataFormat = (typeof DATA_FORMATS)[number];

/** Fields that are undefined are left out. */
export function printData(data: Data, format: DataFormat): Iterable<string> {
  return format === "json" ? jsonLines(data, { indent: "", before: "", after: "" }) : yamlLines(data);
}

interface JsonPlace {
  readonly indent: string;
  /** The field's name. */
  readonly before: string;
  /** A comma, if another item follows. */
  readonly after: string;
}

function* jsonLines(data: Data, { indent, before, after }: JsonPlace): Iterable<string> {
  if (isScalar(data)) {
    yield `${indent}${before}${JSON.stringify(data)}${after}`;
    return;
  }
  const [open, close] = isList(data) ? "[]" : "{}";
  let held: Item | undefined;
  for (const item of itemsOf(data)) {
    if (held) yield* jsonLines(held.data, { indent: `${indent}  `, before: nameOf(held), after: "," });
    else yield `${indent}${before}${open}`;
    held = item;
  }
  if (!held) {
    yield `${indent}${before}${open}${close}${after}`;
    return;
  }
  yield* jsonLines(held.data, { indent: `${indent}  `, before: nameOf(held), after: "" });
  yield `${indent}${close}${after}`;
}

interface Item {
  /** Undefined in a list. */
  readonly name: string | undefined;
  readonly data: Data;
}

function* itemsOf(data: Iterable<Data> | { readonly [field: string]: Data | undefined }): Iterable<Item> {
  if (isList(data)) {
    for (const item of data) yield { name: undefined, data: item };
    return;
  }
  for (const [name, field] of Object.entries(data)) if (field !== undefined) yield { name, data: field };
}

function nameOf({ name }: Item): string {
  return name === undefined ? "" : `${JSON.stringify(name)}: `;
}

function* yamlLines(data: Data): Iterable<string> {
  if (isScalar(data)) {
    yield yamlScalar(data);
    return;
  }
  let empty = true;
  for (const { name, data: inner } of itemsOf(data)) {
    empty = false;
    yield* name === undefined ? indented(inner, "- ") : fieldLines(name, inner);
  }
  if (empty) yield isList(data) ? "[]" : "{}";
}

/** Behind a name stands what has one line; a list or its like begins below. */
function* fieldLines(name: string, data: Data): Iterable<string> {
  const key = yamlScalar(name);
  if (isScalar(data)) {
    yield `${key}: ${yamlScalar(data)}`;
    return;
  }
  let first = true;
  for (const line of yamlLines(data)) {
    const isEmpty = line === "[]" || line === "{}";
    if (first) yield isEmpty ? `${key}: ${line}` : `${key}:`;
    if (!(first && isEmpty)) yield `  ${line}`;
    first = false;
  }
}

function* indented(data: Data, mark: string): Iterable<string> {
  let lead = mark;
  for (const line of yamlLines(data)) {
    yield `${lead}${line}`;
    lead = " ".repeat(mark.length);
  }
}

/** Text that is never taken for anything else. */
const PLAIN = /^[A-Za-z][\w./-]*$/;
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null)$/i;

function yamlScalar(data: string | number | boolean | null): string {
  if (typeof data !== "string") return JSON.stringify(data);
  if (PLAIN.test(data) && !WORDS.test(data)) return data;
  return /[\p{Cc}\u2028\u2029\uFEFF]/u.test(data) ? JSON.stringify(data) : `'${data.replaceAll("'", "''")}'`;
}

function isScalar(data: Data): data is string | number | boolean | null {
  return typeof data !== "object" || data === null;
}

function isList(data: Iterable<Data> | { readonly [field: string]: Data | undefined }): data is Iterable<Data> {
  return Symbol.iterator in data;
}
