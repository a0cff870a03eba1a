// Defines the value types of options: how each is read from flags and from the configuration file, and printed.
import * as z from "zod";
import { InputError } from "../errors.ts";
import { parseAddress } from "../net/address.ts";
import { parseDuration, printDuration } from "./duration.ts";
import { splitHostPort } from "./host-port.ts";
import { canonicalQuantity } from "./quantity.ts";
import { checked, lastOf, rewording, type ValueType } from "./value-type.ts";

const text = z.string("must be a string");

export const STRING: ValueType<string> = {
  name: "string",
  schema: text,
  parse: lastOf((given) => given),
  print: (value) => value,
  zero: "",
};

/** An IP address. In a file it is checked by validation, not here. */
export const IP: ValueType<string> = { ...STRING, name: "ip", parse: lastOf(parseIP), ignoresEmpty: true };

/** An IP address with or without a port. Not checked in a file. */
export const IP_PORT: ValueType<string> = { ...IP, name: "ip or ip:port", parse: lastOf(parseIPPort) };

export const BOOL: ValueType<boolean> = {
  name: "bool",
  schema: z.boolean("must be true or false"),
  parse: lastOf(parseBool),
  print: (value) => value,
  zero: false,
};

/** `false`, `true` (the flag without a value), `raw`, or the version to report. */
export const VERSION: ValueType<string> = { ...STRING, name: "version", parse: lastOf(parseVersion) };

/** Nanoseconds. An empty text is invalid. */
export const EXACT_DURATION: ValueType<bigint> = {
  name: "duration",
  schema: text.transform(checked(parseDuration)),
  parse: lastOf(parseDuration),
  print: printDuration,
  zero: 0n,
};

/** Nanoseconds. An empty text in a file means zero; kube-proxy rejects it. */
export const DURATION: ValueType<bigint> = {
  ...EXACT_DURATION,
  schema: text.transform(checked((given) => (given === "" ? 0n : parseDuration(given)))),
};

/** Nanoseconds. A file may also contain an integer number of nanoseconds. */
export const DURATION_OR_NUMBER: ValueType<bigint> = {
  ...DURATION,
  schema: z.union([DURATION.schema, z.int().transform(BigInt)], "must be a duration or a number of nanoseconds"),
};

/** A number of bytes in canonical text. */
export const QUANTITY: ValueType<string> = {
  name: "quantity",
  schema: z
    .union([z.string(), z.number().transform(String)], "must be a quantity")
    .transform(checked((given) => (given === "" ? "0" : canonicalQuantity(given.trim())))),
  parse: lastOf(canonicalQuantity),
  print: (value) => value,
  zero: "0",
};

function parseIP(given: string): string {
  if (parseAddress(given)) return given;
  throw notAnIP(given);
}

function notAnIP(given: string): InputError {
  return new InputError({}, `${JSON.stringify(given)} is not a valid IP address`);
}

function parseIPPort(given: string): string {
  if (parseAddress(given)) return given;
  const parts = splitHostPort(given);
  if ("wrong" in parts) {
    throw new InputError({}, `${JSON.stringify(given)} is not in a valid format (ip or ip:port): ${parts.wrong}`);
  }
  if (!parseAddress(parts.host)) throw notAnIP(parts.host);
  if (/^\d{1,5}$/.test(parts.port) && Number(parts.port) <= 65535) return given;
  throw new InputError({}, `${JSON.stringify(parts.port)} is not a valid number`);
}

const TRUE = ["1", "t", "T", "true", "TRUE", "True"];
const FALSE = ["0", "f", "F", "false", "FALSE", "False"];

/** Reads a bool in any of Go's twelve spellings. Throws InputError. */
function parseBool(given: string): boolean {
  if (TRUE.includes(given)) return true;
  if (FALSE.includes(given)) return false;
  throw new InputError({}, `strconv.ParseBool: parsing ${JSON.stringify(given)}: invalid syntax`);
}

const RELEASE = /^v\d+\.\d+\.\d+[-+.\w]*$/;

function parseVersion(given: string): string {
  if (given === "raw" || RELEASE.test(given)) return given;
  if (given.startsWith("v")) throw new InputError({}, "must be v followed by major.minor.patch");
  return String(parseBool(given));
}

const INT32_MIN = -2147483648;
const INT32_MAX = 2147483647;
const UINT32_MAX = 4294967295;

export const INT32: ValueType<number> = {
  name: "int32",
  schema: z
    .int("must be a whole number")
    .min(INT32_MIN, "must fit into 32 bits")
    .max(INT32_MAX, "must fit into 32 bits"),
  parse: lastOf(parseInt32),
  print: (value) => value,
  zero: 0,
};

/** A log level. A file may contain more than 31 bits, which validation rejects; a flag may not. */
export const LEVEL: ValueType<number> = {
  name: "level",
  schema: z.int("must be a whole number").min(0, "must not be negative").max(UINT32_MAX, "must fit into 32 bits"),
  parse: lastOf(parseLevel),
  print: (value) => value,
  zero: 0,
};

export const FLOAT: ValueType<number> = {
  name: "float32",
  schema: z.number("must be a number"),
  parse: lastOf(parseFloat32),
  print: (value) => value,
  zero: 0,
};

/** A log level of at most 31 bits, in decimal. Throws InputError. */
function parseLevel(given: string): number {
  if (!/^\d+$/.test(given)) throw syntaxError("ParseUint", given, "invalid syntax");
  if (Number(given) > INT32_MAX) throw syntaxError("ParseUint", given, "value out of range");
  return Number(given);
}

const WHOLE = /^([-+]?)(0x[\da-f]+|0b[01]+|0o?[0-7]+|0|[1-9]\d*)$/i;

function parseInt32(given: string): number {
  const [, sign, digits = ""] = WHOLE.exec(given) ?? [];
  if (digits === "") throw syntaxError("ParseInt", given, "invalid syntax");
  const size = Number(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = sign === "-" && size !== 0 ? -size : size;
  if (value < INT32_MIN || value > INT32_MAX) throw syntaxError("ParseInt", given, "value out of range");
  return value;
}

function parseFloat32(given: string): number {
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(given))
    throw syntaxError("ParseFloat", given, "invalid syntax");
  return Number(given);
}

function syntaxError(reader: string, given: string, reason: string): InputError {
  return new InputError({}, `strconv.${reader}: parsing ${JSON.stringify(given)}: ${reason}`);
}

/** A log level for the source files of a pattern. */
export interface ModuleLevel {
  readonly filePattern: string;
  readonly verbosity: number;
}

/** Null and an empty list are equivalent, but each is printed as it was written. */
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
