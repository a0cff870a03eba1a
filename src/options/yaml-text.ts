// How does kube-proxy write a value as YAML?
import type { Plain } from "./value-type.ts";

// What Go's YAML reader would take for something other than a string.
const OTHER_THAN_STRING = [
  /^(?:~|null|Null|NULL|<<|)$/,
  /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF|true|True|TRUE|false|False|FALSE)$/,
  /^[-+]?(?:\.\d+|\d[\d_]*(?:\.[\d_]*)?)(?:[eE][-+]?\d+)?$/,
  /^[-+]?(?:0x[\da-fA-F_]+|0b[01_]+|0o[0-7_]+)$/,
  /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/,
  /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/,
  /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ].*)?$/,
];

// What a plain scalar in a block may neither begin with nor hold.
const NOT_PLAIN = /^[#,[\]{}&*!|>'"%@`]|^[-?](?:\s|$)|^(?:---|\.\.\.)|^\s|\s$|:(?:\s|$)|\s#/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const SPECIAL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/;

/** Block style, keys in alphabetical order, nested keys indented by two blanks, list items not at all. */
export function printYaml(value: { readonly [key: string]: Plain }): string {
  return printMapping(value, "");
}

function printMapping(value: { readonly [key: string]: Plain }, indent: string): string {
  const keys = Object.keys(value).sort();
  return keys.map((key) => `${indent}${printText(key)}:${printBehind(value[key] ?? null, indent)}`).join("");
}

/** What stands behind `key:`, with its line end. */
function printBehind(value: Plain, indent: string): string {
  if (isList(value)) {
    return value.length === 0 ? " []\n" : `\n${value.map((item) => `${indent}- ${printItem(item, indent)}`).join("")}`;
  }
  if (typeof value !== "object" || value === null) return ` ${printScalar(value)}\n`;
  return Object.keys(value).length === 0 ? " {}\n" : `\n${printMapping(value, `${indent}  `)}`;
}

/** What stands behind `- `: a mapping begins on the same line. */
function printItem(item: Plain, indent: string): string {
  if (typeof item !== "object" || item === null || isList(item)) return `${printScalar(item)}\n`;
  return printMapping(item, `${indent}  `).slice(indent.length + 2);
}

function printScalar(value: Plain): string {
  return typeof value === "string" ? printText(value) : JSON.stringify(value);
}

/** Plain where that reads back as the same text, else in the quotes that Go's writer takes. */
function printText(text: string): string {
  if (SPECIAL.test(text) || OTHER_THAN_STRING.some((shape) => shape.test(text))) return JSON.stringify(text);
  return NOT_PLAIN.test(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

function isList(value: Plain): value is readonly Plain[] {
  return Array.isArray(value);
}
