// What does a part of a file that holds secrets say, or which of its fields is wrong?
import * as z from "zod";
import { InputError, type Place } from "../errors.ts";

/** A part of a file, checked, and where it stands. */
export interface Section<T> {
  readonly value: T;
  readonly place: Place;
}

/** A string; left out or null, it is empty, as Go reads it. */
export const TEXT = z
  .string()
  .nullish()
  .transform((text) => text ?? "");

/** Throws InputError for the first field of the wrong type. Its value is not shown: it may be a secret. */
export function readSection<T>(raw: unknown, place: Place, schema: z.ZodType<T>): Section<T> {
  const read = schema.safeParse(raw, { error: describe });
  if (read.success) return { value: read.data, place };
  const [fault] = read.error.issues;
  throw new InputError((fault?.path ?? []).map(String).reduce(enter, place), String(fault?.message));
}

/** The place of a field, or of a position, in a section. */
export function enter(place: Place, field: string): Place {
  const step = /^\d+$/.test(field) ? `[${field}]` : `.${field}`;
  return { ...place, field: `${place.field ?? ""}${step}`.replace(/^\./, "") };
}

function describe({ expected, input }: z.core.$ZodRawIssue): string {
  return `must be ${nameSort(String(expected))}, not ${nameSort(sortOf(input))}`;
}

function sortOf(input: unknown): string {
  if (input === undefined || input === null) return "nothing";
  return Array.isArray(input) ? "array" : typeof input;
}

function nameSort(sort: string): string {
  const names: Readonly<Record<string, string>> = {
    nothing: "nothing",
    array: "a list",
    object: "an object",
    record: "an object",
  };
  return names[sort] ?? `a ${sort}`;
}
