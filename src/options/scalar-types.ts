// Which single values do options have?
import * as z from "zod";
import { InputError } from "../errors.ts";
import { parseAddress } from "../net/address.ts";
import { parseDuration, printDuration } from "./duration.ts";
import { splitHostPort } from "./host-port.ts";
import { canonicalQuantity } from "./quantity.ts";
import { checked, lastOf, type ValueType } from "./value-type.ts";

const text = z.string("must be a string");

export const STRING: ValueType<string> = {
  name: "string",
  schema: text,
  parse: lastOf((given) => given),
  print: (value) => value,
  zero: "",
};

/** An IP address. Not checked in a file: that is validation's. */
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

/** `false`, `true` (also what the flag alone says), `raw`, or a version to be reported. */
export const VERSION: ValueType<string> = { ...STRING, name: "version", parse: lastOf(parseVersion) };

/** Nanoseconds; an empty text is refused. */
export const EXACT_DURATION: ValueType<bigint> = {
  name: "duration",
  schema: text.transform(checked(parseDuration)),
  parse: lastOf(parseDuration),
  print: printDuration,
  zero: 0n,
};

/** Nanoseconds. An empty text in a file is taken for zero, which kube-proxy refuses. */
export const DURATION: ValueType<bigint> = {
  ...EXACT_DURATION,
  schema: text.transform(checked((given) => (given === "" ? 0n : parseDuration(given)))),
};

/** Nanoseconds; a file may also give a whole number of them. */
export const DURATION_OR_NUMBER: ValueType<bigint> = {
  ...DURATION,
  schema: z.union([DURATION.schema, z.int().transform(BigInt)], "must be a duration or a number of nanoseconds"),
};

/** A number of bytes, as its canonical text. */
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
export function parseBool(given: string): boolean {
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
