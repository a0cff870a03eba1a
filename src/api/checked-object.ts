// Reads the fields of an untrusted object one by one: an unusable value is reported and costs no more than itself.
import type * as z from "zod";
import { InputError, type Place } from "../errors.ts";
import { type Grammar, isLabel, isSubdomain } from "./grammar.ts";
import { memberOf } from "./member.ts";
import { printIdentity } from "./object-name.ts";
import type { Kind } from "./objects.ts";
import { quote } from "./quote.ts";
import { keepObject, passOver, type Reading, refuse } from "./reading.ts";

/** An object that is valid and of no use here. */
export interface NotUsed {
  readonly kind: "not used";
  readonly reason: string;
}

type Raw = Readonly<Record<string, unknown>>;

const NOTHING: Raw = {};

type Range = readonly [least: number, most: number];

/** Takes the dotted path of a field inside the object, and what is wrong with its value. */
type Report = (field: string, reason: string) => void;

/**
 * Reads one object. Every unusable value is a problem of its own. `read` returns undefined where these values leave
 * nothing of the object that could be used.
 */
export function readObject<T extends { readonly kind: Kind }>(
  raw: unknown,
  place: Place,
  kind: Kind,
  read: (fields: Fields) => T | NotUsed | undefined,
): Reading<T> {
  if (!isRecord(raw)) return refuse(new InputError(place, wrongType(raw, "object")));
  const problems: InputError[] = [];
  const report = (field: string, reason: string) => {
    problems.push(new InputError(enterField(nameObject(kind, raw, place), field), reason));
  };
  const object = read(new Fields(raw, report));
  if (object === undefined) return refuse(...problems);
  if (object.kind !== "not used") return keepObject(object, problems);
  return { ...passOver(nameObject(kind, raw, place), object.reason), problems };
}

/**
 * The fields of an object. A method returns its default for a value that is absent or null, and undefined for one that
 * cannot be used, which it has then reported.
 */
export class Fields {
  readonly #raw: Raw;
  readonly #report: Report;
  readonly #above: Fields | undefined;
  /** From the object above to this one: a field, and a position where that field is a list. */
  readonly #name: string;
  readonly #index: number | undefined;

  constructor(raw: Raw, report: Report, above?: Fields, name = "", index?: number) {
    this.#raw = raw;
    this.#report = report;
    this.#above = above;
    this.#name = name;
    this.#index = index;
  }

  /** Reports the value of a field, or an element of the list that it is. */
  report(reason: string, name: string, index?: number): void {
    this.#report(`${this.#path()}${printStep(name, index)}`.replace(/^\./, ""), reason);
  }

  /** The value of a field as it is written. */
  raw(name: string): unknown {
    return this.#raw[name];
  }

  /** Empty by default. */
  text(name: string, grammar?: Grammar): string | undefined {
    const value = this.raw(name) ?? null;
    if (value === null || value === "") return "";
    if (typeof value === "string" && (!grammar || grammar.fits(value))) return value;
    return this.#refuse(textProblem(value, grammar), name);
  }

  /** A text that must be there. */
  requiredText(name: string, grammar?: Grammar): string | undefined {
    const value = this.#raw[name];
    if (typeof value === "string" && (!grammar || grammar.fits(value))) return value;
    return this.#refuse(textProblem(value, grammar), name);
  }

  /** One of these words; the empty one means the default too. */
  choice<T extends string>(name: string, words: readonly T[], byDefault: T): T | undefined {
    const value = this.raw(name) ?? null;
    if (value === null || value === "") return byDefault;
    for (const word of words) if (word === value) return word;
    return this.#refuse(textProblem(value, { what: words.join(" or "), fits: () => false }), name);
  }

  /** A whole number of this range; one in quotes is a text, and refused as the API server refuses it. */
  whole(name: string, [least, most]: Range, byDefault: number): number | undefined {
    const value = this.raw(name) ?? null;
    if (value === null) return byDefault;
    if (typeof value !== "number") return this.#refuse(wrongType(value, "number"), name);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    return this.#refuse(`must be a whole number from ${least} to ${most}, not ${quote(value)}`, name);
  }

  /** A whole number that must be there. */
  requiredWhole(name: string, range: Range): number | undefined {
    if ((this.raw(name) ?? null) !== null) return this.whole(name, range, 0);
    return this.#refuse(wrongType(this.#raw[name], "number"), name);
  }

  flag(name: string, byDefault: boolean): boolean | undefined {
    const value = this.raw(name) ?? null;
    if (value === null) return byDefault;
    return typeof value === "boolean" ? value : this.#refuse(wrongType(value, "boolean"), name);
  }

  /** The fields of an object in this one; without any by default. */
  object(name: string): Fields | undefined {
    const value = this.map(name);
    return value && new Fields(value, this.#report, this, name);
  }

  /** The fields of an object that must be there. */
  requiredObject(name: string): Fields | undefined {
    if ((this.raw(name) ?? null) !== null) return this.object(name);
    return this.#refuse(wrongType(this.#raw[name], "object"), name);
  }

  /** The keys and values of an object that is a map; empty by default. */
  map(name: string): Raw | undefined {
    const value = this.raw(name) ?? null;
    if (value === null) return NOTHING;
    return isRecord(value) ? value : this.#refuse(wrongType(value, "object"), name);
  }

  /** A list as it is written; empty by default. */
  list(name: string): readonly unknown[] | undefined {
    const value = this.raw(name) ?? null;
    if (value === null) return [];
    return Array.isArray(value) ? value : this.#refuse(wrongType(value, "array"), name);
  }

  /** The elements of a list of texts, by position, undefined for those that are none; empty by default. */
  texts(name: string): readonly (string | undefined)[] | undefined {
    return this.list(name)?.map((value, index) => {
      return typeof value === "string" ? value : this.#refuse(wrongType(value, "string"), name, index);
    });
  }

  /** The elements of a list of objects, by position, undefined for those that are none; empty by default. */
  objects(name: string): readonly (Fields | undefined)[] | undefined {
    return this.list(name)?.map((value, index) => {
      if (isRecord(value)) return new Fields(value, this.#report, this, name, index);
      return this.#refuse(wrongType(value, "object"), name, index);
    });
  }

  #refuse(reason: string, name: string, index?: number): undefined {
    this.report(reason, name, index);
    return undefined;
  }

  #path(): string {
    return this.#above ? `${this.#above.#path()}${printStep(this.#name, this.#index)}` : "";
  }
}

/** What is left of a list without the elements that could not be used. */
export function usable<T>(elements: readonly (T | undefined)[] | undefined): readonly T[] {
  return (elements ?? []).filter((each) => each !== undefined);
}

/** Whether a list has elements of which none could be used, or cannot be read itself. */
export function isLost(elements: readonly unknown[] | undefined): boolean {
  return elements === undefined || (elements.length > 0 && elements.every((each) => each === undefined));
}

/** What to say of a value that is no text of this grammar. */
export function textProblem(value: unknown, grammar?: Grammar): string {
  return grammar && typeof value === "string"
    ? `must be ${grammar.what}, not ${quote(value)}`
    : wrongType(value, "string");
}

/** Every fault that a schema found, as a problem of its own. The schema was asked with `describeIssue`. */
export function listFaults({ issues }: z.ZodError, place: Place): readonly InputError[] {
  return issues.map(({ path, message }) => {
    const printed = path.map((step) => (typeof step === "number" ? `[${step}]` : printStep(String(step))));
    return new InputError(enterField(place, printed.join("").replace(/^\./, "")), message);
  });
}

/** The place one field further inside; the empty field is the object itself. */
export function enterField(place: Place, field: string): Place {
  if (field === "") return place;
  return {
    ...place,
    field: place.field === undefined ? field : `${place.field}.${field}`,
  };
}

// Hostile text must not reach a message unquoted, so only a name that has the grammar of one names an object.
function nameObject(kind: Kind, raw: Raw, place: Place): Place {
  const metadata = memberOf(raw, "metadata");
  const [name, namespace] = [memberOf(metadata, "name"), memberOf(metadata, "namespace") || "default"];
  if (typeof name !== "string" || !isSubdomain(name)) return place;
  if (typeof namespace !== "string" || !isLabel(namespace)) return place;
  const { field: _, ...outside } = place;
  return { ...outside, object: printIdentity({ kind, name, namespace: kind === "Node" ? "" : namespace }) };
}

/** The message of an issue of zod: grammars word their own messages, so what is left to say is the wrong type. */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  return wrongType(issue.input, String(issue.expected));
}

function wrongType(value: unknown, expected: string): string {
  const names: Readonly<Record<string, string>> = { object: "an object", record: "an object", array: "a list" };
  const type = names[expected] ?? `a ${expected}`;
  return value === undefined ? `is missing, must be ${type}` : `must be ${type}, not ${quote(value)}`;
}

function printStep(key: string, index?: number): string {
  const position = index === undefined ? "" : `[${index}]`;
  return `${/^\w{1,60}$/.test(key) ? `.${key}` : `[${quote(key)}]`}${position}`;
}

function isRecord(value: unknown): value is Raw {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
