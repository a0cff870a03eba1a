// Which lists and maps do options have?
import * as z from "zod";
import { InputError } from "../errors.ts";
import { parseLevel } from "./number-types.ts";
import { parseBool } from "./scalar-types.ts";
import { rewording, type ValueType } from "./value-type.ts";

/** A log level for the source files of a pattern. */
export interface ModuleLevel {
  readonly filePattern: string;
  readonly verbosity: number;
}

/** Null and an empty list mean the same, but are printed as they were written. */
export const STRINGS: ValueType<readonly string[] | null> = {
  name: "strings",
  schema: z
    .array(
      z
        .string("must be a string")
        .nullable()
        .transform((entry) => entry ?? ""),
      "must be a list",
    )
    .nullable(),
  parse: (texts) => texts.flatMap((text) => (text === "" ? [] : text.split(","))),
  print: (value) => value,
  zero: null,
};

/** Feature gates by name. */
export const GATES: ValueType<Readonly<Record<string, boolean>>> = {
  name: "mapStringBool",
  schema: z.record(z.string(), z.boolean("must be true or false"), "must be a mapping"),
  parse: (texts) => Object.fromEntries(entriesOf(texts).map(parseGate)),
  print: (value) => value,
  zero: {},
};

export const MODULE_LEVELS: ValueType<readonly ModuleLevel[]> = {
  name: "pattern=N,...",
  schema: z.array(
    z.object(
      {
        filePattern: z.string("must be a string").default(""),
        verbosity: z.int("must be a whole number").min(0, "must not be negative").default(0),
      },
      "must be a mapping",
    ),
    "must be a list",
  ),
  parse: (texts) => entriesOf(texts).map(parseModuleLevel),
  print: (value) => value.map(({ filePattern, verbosity }) => ({ filePattern, verbosity })),
  zero: [],
};

function entriesOf(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.split(",")).filter((entry) => entry !== "");
}

function parseGate(entry: string): readonly [string, boolean] {
  const equals = entry.indexOf("=");
  if (equals < 0) throw new InputError({}, "malformed pair, expect string=bool");
  const name = entry.slice(0, equals).trim();
  const value = entry.slice(equals + 1).trim();
  return [
    name,
    rewording(
      () => parseBool(value),
      (reason) => `invalid value of ${name}: ${value}, err: ${reason}`,
    ),
  ];
}

function parseModuleLevel(entry: string): ModuleLevel {
  const [filePattern = "", level = "", ...more] = entry.split("=");
  if (filePattern === "" || level === "" || more.length > 0) {
    throw new InputError({}, `${JSON.stringify(entry)} does not have the pattern=N format`);
  }
  const verbosity = rewording(
    () => parseLevel(level),
    (reason) => `parsing verbosity in ${JSON.stringify(entry)}: ${reason}`,
  );
  return { filePattern, verbosity };
}
