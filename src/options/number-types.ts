// Which numbers do options have?
import * as z from "zod";
import { InputError } from "../errors.ts";
import { lastOf, type ValueType } from "./value-type.ts";

const INT32_LEAST = -2147483648;
const INT32_MOST = 2147483647;
const UINT32_MOST = 4294967295;

export const INT32: ValueType<number> = {
  name: "int32",
  schema: z
    .int("must be a whole number")
    .min(INT32_LEAST, "must fit into 32 bits")
    .max(INT32_MOST, "must fit into 32 bits"),
  parse: lastOf(parseInt32),
  print: (value) => value,
  zero: 0,
};

/** A log level. In a file it may be what validation refuses later; a flag may not. */
export const LEVEL: ValueType<number> = {
  name: "level",
  schema: z.int("must be a whole number").min(0, "must not be negative").max(UINT32_MOST, "must fit into 32 bits"),
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
export function parseLevel(given: string): number {
  if (!/^\d+$/.test(given)) throw refuse("ParseUint", given, "invalid syntax");
  if (Number(given) > INT32_MOST) throw refuse("ParseUint", given, "value out of range");
  return Number(given);
}

const WHOLE = /^([-+]?)(0x[\da-f]+|0b[01]+|0o?[0-7]+|0|[1-9]\d*)$/i;

function parseInt32(given: string): number {
  const [, sign, digits = ""] = WHOLE.exec(given) ?? [];
  if (digits === "") throw refuse("ParseInt", given, "invalid syntax");
  const size = Number(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const value = sign === "-" && size !== 0 ? -size : size;
  if (value < INT32_LEAST || value > INT32_MOST) throw refuse("ParseInt", given, "value out of range");
  return value;
}

function parseFloat32(given: string): number {
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(given)) throw refuse("ParseFloat", given, "invalid syntax");
  return Number(given);
}

function refuse(reader: string, given: string, reason: string): InputError {
  return new InputError({}, `strconv.${reader}: parsing ${JSON.stringify(given)}: ${reason}`);
}
