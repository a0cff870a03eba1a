// How does an object get from raw input into our form, or a refusal that names the field?
import * as z from "zod";
import { InputError, type Place } from "../errors.ts";
import { optionalLabel, subdomain } from "./grammar.ts";
import { namespaceOf } from "./metadata.ts";
import { printIdentity } from "./object-name.ts";
import type { Kind } from "./objects.ts";
import { quote } from "./quote.ts";
import { keepObject, passOver, type Reading, refuse } from "./reading.ts";

/** How a projection complains. The field is a dotted path inside the object. */
export interface Complaints {
  /** Only this entry is left out. */
  drop(field: string, reason: string): void;
  /** The whole object is left out. */
  refuse(field: string, reason: string): void;
}

/** Says that an object is fine and of no use here. */
export interface NotUsed {
  readonly kind: "not used";
  readonly reason: string;
}

export interface Projection<Raw, T> {
  readonly kind: Kind;
  /** Checks types and grammars and applies API defaults; fields it does not know are ignored. */
  readonly schema: z.ZodType<Raw>;
  /** Brings sound input into our form. What it returns is not looked at once it refused. */
  project(sound: Raw, complaints: Complaints): T | NotUsed;
}

/** Reads one object. Every fault found is a problem of its own. */
export function readObject<Raw, T extends { readonly kind: Kind }>(
  raw: unknown,
  place: Place,
  { kind, schema, project }: Projection<Raw, T>,
): Reading<T> {
  const inside = { kind, raw, place };
  const parsed = schema.safeParse(raw, { error: describeIssue });
  if (!parsed.success) return refuse(...listFaults(parsed.error, nameObject(inside)));
  const dropped: InputError[] = [];
  const refused: InputError[] = [];
  const object = project(parsed.data, {
    drop: (field, reason) => dropped.push(complain(inside, field, reason)),
    refuse: (field, reason) => refused.push(complain(inside, field, reason)),
  });
  if (refused.length > 0) return refuse(...refused, ...dropped);
  return object.kind === "not used" ? passOver(nameObject(inside), object.reason) : keepObject(object, dropped);
}

/** Every fault that a schema found, as a problem of its own. The schema was asked with `describeIssue`. */
export function listFaults({ issues }: z.ZodError, place: Place): readonly InputError[] {
  return issues.map(({ path, message }) => new InputError(enterField(place, printPath(path)), message));
}

/** The place one field further inside; the empty field is the object itself. */
export function enterField(place: Place, field: string): Place {
  if (field === "") return place;
  return {
    ...place,
    field: place.field === undefined ? field : `${place.field}.${field}`,
  };
}

interface Inside {
  readonly kind: Kind;
  readonly raw: unknown;
  readonly place: Place;
}

function complain(inside: Inside, field: string, reason: string): InputError {
  return new InputError(enterField(nameObject(inside), field), reason);
}

const IDENTITY = z.object({
  metadata: z.object({ name: subdomain, namespace: optionalLabel }),
});

// An object is only called by a name that has the grammar of one: hostile text must not reach a message unquoted.
function nameObject({ kind, raw, place }: Inside): Place {
  const identity = IDENTITY.safeParse(raw);
  if (!identity.success) return place;
  const { name, namespace } = identity.data.metadata;
  const { field: _, ...outside } = place;
  return {
    ...outside,
    object: printIdentity({
      kind,
      name,
      namespace: kind === "Node" ? "" : namespaceOf({ namespace }),
    }),
  };
}

/** Our grammars word their own messages; what is left to say is the wrong type. */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  const wanted = nameType(String(issue.expected));
  return issue.input === undefined ? `is missing, must be ${wanted}` : `must be ${wanted}, not ${quote(issue.input)}`;
}

function nameType(type: string): string {
  const names: Readonly<Record<string, string>> = {
    object: "an object",
    record: "an object",
    array: "a list",
  };
  return names[type] ?? `a ${type}`;
}

function printPath(path: readonly PropertyKey[]): string {
  const printed = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    const key = String(step);
    return /^\w{1,60}$/.test(key) ? `.${key}` : `[${quote(key)}]`;
  });
  return printed.join("").replace(/^\./, "");
}
