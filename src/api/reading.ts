// The result of reading input: objects, problems, and what was skipped on purpose.
import type { InputError, Place } from "../errors.ts";

/**
 * Why input was skipped.
 * - `unused`: an object of the API that a node proxy does not need.
 * - `foreign`: YAML or JSON that is no Kubernetes object, such as a values.yaml.
 * - `template`: a template that has not been rendered.
 * - `duplicate`: the same object is defined again later.
 */
export type SkipCategory = "unused" | "foreign" | "template" | "duplicate";

/** Input that was skipped without being wrong. */
export interface PassedOver {
  readonly place: Place;
  readonly reason: string;
  readonly category: SkipCategory;
}

/** The same shape for one object, a document, a file or all files, so that readings can be put together. */
export interface Reading<T> {
  readonly objects: readonly T[];
  /** A problem whose object is not among `objects` cost that object; else only the named entry was left out. */
  readonly problems: readonly InputError[];
  readonly passedOver: readonly PassedOver[];
}

/** An object that could be read, and what of it had to be left out. */
export function keepObject<T>(object: T, problems: readonly InputError[]): Reading<T> {
  return { objects: [object], problems, passedOver: [] };
}

export function refuse(...problems: readonly InputError[]): Reading<never> {
  return { objects: [], problems, passedOver: [] };
}

export function passOver(place: Place, reason: string, category: SkipCategory = "unused"): Reading<never> {
  return { objects: [], problems: [], passedOver: [{ place, reason, category }] };
}

/** One reading of many, in order. */
export function joinReadings<T>(readings: readonly Reading<T>[]): Reading<T> {
  return {
    objects: readings.flatMap(({ objects }) => objects),
    problems: readings.flatMap(({ problems }) => problems),
    passedOver: readings.flatMap(({ passedOver }) => passedOver),
  };
}
