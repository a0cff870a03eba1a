// What comes of reading input? Objects, what was wrong, and what was left alone on purpose.
import type { InputError, Place } from "../errors.ts";

/** Input that is fine and of no use here: another kind, a slice of host names. */
export interface PassedOver {
  readonly place: Place;
  readonly reason: string;
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

export function passOver(place: Place, reason: string): Reading<never> {
  return { objects: [], problems: [], passedOver: [{ place, reason }] };
}

/** One reading of many, in order. */
export function joinReadings<T>(readings: readonly Reading<T>[]): Reading<T> {
  return {
    objects: readings.flatMap(({ objects }) => objects),
    problems: readings.flatMap(({ problems }) => problems),
    passedOver: readings.flatMap(({ passedOver }) => passedOver),
  };
}
