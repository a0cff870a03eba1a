// What does the text of a configuration file hold, before anything is known of its fields?
import { LineCounter, parseAllDocuments, type Tags, type YAMLError } from "yaml";
import { InputError } from "../errors.ts";

/** The value of the text, and what is said twice in it. */
export interface ConfigText {
  readonly value: unknown;
  /** Keys that stand twice in one mapping; the last one counts. */
  readonly duplicates: readonly { readonly key: string; readonly line: number }[];
}

// Go's reader says the same of all of them.
const NO_MAPPING = "could not find expected ':'";
const COLON_FAULTS: readonly YAMLError["code"][] = ["MULTILINE_IMPLICIT_KEY", "MISSING_CHAR"];

/**
 * Reads YAML 1.1 (so `yes` is a bool and `010` is 8) or JSON, one document. Throws InputError for anything else, and
 * for a text that is no mapping.
 */
export function readConfigText(text: string): ConfigText {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: "1.1",
    merge: true,
    lineCounter,
    prettyErrors: false,
    logLevel: "error",
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !isForeign(tag)).map(asGo),
  });
  const [document, ...more] = documents;
  if (document === undefined) throw new InputError({}, "is empty");
  if (more.length > 0) throw new InputError({}, "holds more than one document");
  const lineOf = (fault: YAMLError) => lineCounter.linePos(fault.pos[0]).line;
  const duplicates = document.errors.filter(({ code }) => code === "DUPLICATE_KEY");
  const [fault] = document.errors.filter(({ code }) => code !== "DUPLICATE_KEY");
  if (fault) throw new InputError({}, `yaml: line ${lineOf(fault)}: ${wordsOf(fault)}`);
  const value: unknown = resolveAliases(() => document.toJS());
  if (typeof value === "string") throw new InputError({}, `yaml: ${NO_MAPPING}`);
  return { value, duplicates: duplicates.map((each) => ({ key: keyAt(text, each.pos[0]), line: lineOf(each) })) };
}

// Go's reader knows neither numbers to the base of sixty nor timestamps.
function isForeign({ tag, format }: { readonly tag: string; readonly format?: string }): boolean {
  return format === "TIME" || tag === "tag:yaml.org,2002:timestamp";
}

// The package takes `.` and `e9` for numbers; to Go a number has a digit in front.
function asGo(tag: Tags[number]): Tags[number] {
  if (typeof tag === "string" || tag.collection || !tag.test || tag.tag !== "tag:yaml.org,2002:float") return tag;
  return { ...tag, test: new RegExp(`(?=^[-+]?\\.?[\\dinIN])${tag.test.source}`) };
}

function wordsOf({ code, message }: YAMLError): string {
  return COLON_FAULTS.includes(code) ? NO_MAPPING : message;
}

function keyAt(text: string, start: number): string {
  return text.slice(start).replace(/^["']?([\w.-]*)[\s\S]*$/, "$1");
}

// An alias of nothing, too many aliases, or a merge of what is no mapping.
function resolveAliases(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw new InputError({}, `yaml: ${String(error).replace(/^\w*Error: /, "")}`);
  }
}
