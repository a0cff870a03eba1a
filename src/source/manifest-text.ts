// Reads the objects of a YAML or JSON text, each with its place and as it was written.
import { Composer, LineCounter, Parser, type YAMLError } from "yaml";
import { readDocument } from "../api/document.ts";
import type { KubernetesObject } from "../api/objects.ts";
import { passOver, type Reading, refuse } from "../api/reading.ts";
import { InputError, type Place } from "../errors.ts";
import { type Piece, readPlain, yamlPieces } from "./plain-yaml.ts";
import type { WrittenPart, WrittenText } from "./written-text.ts";

/** One object, or what stands where one should be. */
export interface WrittenObject {
  readonly place: Place;
  /** Undefined where not even the language could be read. */
  readonly raw: unknown;
  /** Where it stands; undefined where nothing could be read. */
  readonly part: WrittenPart | undefined;
  /** What comes of it: one object, or none. */
  readonly reading: Reading<KubernetesObject>;
}

/** Takes which part of a text was read, from 0 to 1; may be called for every line of it. */
export type TellShare = (share: number) => void;

/**
 * The objects of one text, YAML or JSON. Documents are read one after the other; one that is not valid YAML costs that
 * document alone.
 */
export function* writtenObjectsOf(
  content: string,
  source: string,
  tell: TellShare = () => {},
): Generator<WrittenObject> {
  const json = parseJson(content);
  if (json === undefined) return yield* yamlObjects({ language: "yaml", text: content }, source, tell);
  const whole: WrittenText = { language: "json", text: content };
  const part = { whole, start: content.indexOf("{"), end: content.length, path: [] };
  yield* toldObjects(json, { part, place: { source, document: 1 }, tell });
}

/** Objects are told as if each were the same part of them all. */
function* toldObjects(raw: unknown, { part, place, tell }: Document): Generator<WrittenObject> {
  const count = itemsOf(raw)?.items.length ?? 1;
  let done = 0;
  for (const object of objectsOf(raw, part, place)) {
    yield object;
    done++;
    // A list may have lists in it.
    tell(Math.min(1, done / count));
  }
}

// All JSON is YAML too, but a cluster's worth of it is read in a fraction of the time.
function parseJson(content: string): unknown {
  if (!/^\s*\{/.test(content)) return undefined;
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

/** A run of a text that is to be read. */
interface Stretch extends Piece {
  readonly whole: WrittenText;
  readonly source: string;
  /** Of its first document. */
  readonly number: number;
  readonly tell: TellShare;
}

function* yamlObjects(whole: WrittenText, source: string, tell: TellShare): Generator<WrittenObject> {
  const { text } = whole;
  let number = 1;
  for (const { start, end } of yamlPieces(text)) {
    const stretch = { whole, source, start, end, number, tell };
    const plain = readPlain(text.slice(start, end));
    if (plain) {
      number++;
      yield* plainObjects(plain.value, stretch);
    } else {
      number = yield* composedObjects(stretch);
    }
  }
}

function* plainObjects(value: unknown, stretch: Stretch): Generator<WrittenObject> {
  const { whole, source, start, end, number, tell } = stretch;
  if (value === null) return;
  const part = { whole, start, end, path: [] };
  const tellPart = (share: number) => tell((start + (end - start) * share) / whole.text.length);
  yield* toldObjects(value, { part, place: { source, document: number }, tell: tellPart });
}

/** Gives the number of the next document. */
function* composedObjects({ whole, source, number: first, tell, ...piece }: Stretch): Generator<WrittenObject, number> {
  const lines = new LineCounter();
  const { length } = whole.text;
  let [start, number] = [piece.start, first];
  // A document is told line by line as its first half, then object by object as its second.
  const onNewLine = (offset: number) => {
    lines.addNewLine(offset);
    tell((start + (piece.start + offset - start) / 2) / length);
  };
  const options = { merge: true, prettyErrors: false, logLevel: "error" } as const;
  const text = whole.text.slice(piece.start, piece.end);
  for (const document of new Composer(options).compose(new Parser(onNewLine).parse(text))) {
    const part: WrittenPart = { whole, start, end: piece.start + document.range[2], path: [] };
    const place = { source, document: number };
    number++;
    start = part.end;
    const [fault] = document.errors;
    if (fault) {
      const { line, col } = lines.linePos(fault.pos[0]);
      const at = `line ${linesBefore(whole.text, piece.start) + line}, column ${col}`;
      yield brokenYaml(`${at}: ${FAULTS[fault.code] ?? "syntax error"}`, part, place);
    } else {
      const halfway = (part.start + part.end) / 2;
      const tellHalf = (share: number) => tell((halfway + (part.end - halfway) * share) / length);
      yield* resolvedObjects(() => document.toJS(), { part, place, tell: tellHalf });
    }
  }
  return number;
}

function linesBefore(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length - 1;
}

interface Document {
  readonly part: WrittenPart;
  readonly place: Place;
  readonly tell: TellShare;
}

function* resolvedObjects(resolve: () => unknown, { part, place, tell }: Document): Generator<WrittenObject> {
  const resolved = resolveAliases(resolve);
  if (!resolved) yield brokenYaml("undefined alias, or too many aliases", part, place);
  else if (resolved.value !== null) yield* toldObjects(resolved.value, { part, place, tell });
}

// The limit of the yaml package on aliases keeps a small file from becoming a huge value.
function resolveAliases(resolve: () => unknown): { readonly value: unknown } | undefined {
  try {
    return { value: resolve() };
  } catch {
    return undefined;
  }
}

/** In our words, by the code of the yaml package. */
const FAULTS: Readonly<Partial<Record<YAMLError["code"], string>>> = {
  BAD_ALIAS: "wrong alias",
  BAD_INDENT: "wrong indentation, or a bracket that is not closed",
  BAD_SCALAR_START: "a value that begins with this character must be in quotes",
  BAD_DQ_ESCAPE: "unknown escape sequence",
  BLOCK_AS_IMPLICIT_KEY: "a mapping is not allowed here; check indentation and quotes",
  BLOCK_IN_FLOW: "a block is not allowed between brackets",
  DUPLICATE_KEY: "a key is repeated in one mapping",
  MISSING_CHAR: "a quote, bracket, comma or colon is missing before this",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line; check indentation and colons",
  TAB_AS_INDENT: "tabs are not allowed as indentation",
  UNEXPECTED_TOKEN: "unexpected text",
};

/** A template that is not rendered is seldom valid YAML. */
function brokenYaml(fault: string, part: WrittenPart, place: Place): WrittenObject {
  if (TEMPLATE.test(part.whole.text.slice(part.start, part.end)))
    return { place, raw: undefined, part, reading: template(place) };
  return broken(place, new InputError(place, `invalid YAML: ${fault}`), part);
}

/**
 * A line that only an unrendered template has: `{{ … }}` alone or in the place of a value, where YAML would need quotes
 * for it to be text. Text between quotes may be meant as it is, as in annotations of external-dns.
 */
const TEMPLATE = /^\s*(?:- )*(?:["']?[\w./-]+["']?:\s+)?(?:- )*\{\{/m;

function template(place: Place): Reading<never> {
  return passOver(place, "unrendered template ({{ … }}); render it first", "template");
}

/** What a document says; of one that is an unrendered template nothing. */
function readUnlessTemplate(
  raw: unknown,
  { whole, start, end, path }: WrittenPart,
  place: Place,
): Reading<KubernetesObject> {
  const reading = readDocument(raw, place);
  const isForeign = reading.passedOver.some(({ category }) => category === "foreign");
  if (reading.problems.length === 0 && !isForeign) return reading;
  const isQuoted = reading.problems.some(({ reason }) => reason.includes("{{"));
  const isBare = path.length === 0 && TEMPLATE.test(whole.text.slice(start, end));
  return isQuoted || isBare ? template(place) : reading;
}

/** The document alone, or each item of the list that it is, and of lists in it. */
function* objectsOf(raw: unknown, part: WrittenPart, place: Place): Generator<WrittenObject> {
  const list = itemsOf(raw);
  if (!list) return yield { place, raw, part, reading: readUnlessTemplate(raw, part, place) };
  for (const [index, item] of list.items.entries()) {
    const at = { ...part, path: [...part.path, "items", index] };
    // Items of a typed list may leave out what the list already says.
    const raw = isRecord(item) ? { ...list.implied, ...item } : item;
    yield* objectsOf(raw, at, { ...place, field: `${place.field ? `${place.field}.` : ""}items[${index}]` });
  }
}

interface WrittenList {
  readonly items: readonly unknown[];
  readonly implied: Readonly<Record<string, unknown>>;
}

/** The items of a `List`, or of one that names its kind; undefined for anything else. */
function itemsOf(raw: unknown): WrittenList | undefined {
  if (!isRecord(raw) || !Array.isArray(raw["items"]) || typeof raw["kind"] !== "string") return undefined;
  const { items, kind, apiVersion } = raw;
  if (!kind.endsWith("List")) return undefined;
  return { items, implied: kind === "List" ? {} : { apiVersion, kind: kind.slice(0, -"List".length) } };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A place where an object should be, with the problem. */
export function broken(place: Place, problem: InputError, part?: WrittenPart): WrittenObject {
  return { place, raw: undefined, part, reading: refuse(problem) };
}
