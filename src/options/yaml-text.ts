// Prints YAML byte for byte like kube-proxy (sigs.k8s.io/yaml).
import type { Plain } from "./value-type.ts";

// Plain scalars that Go's YAML parser reads as something other than a string.
const NOT_A_STRING = [
  /^(?:~|null|Null|NULL|<<|)$/,
  /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF|true|True|TRUE|false|False|FALSE)$/,
  /^[-+]?(?:\.\d+|\d[\d_]*(?:\.[\d_]*)?)(?:[eE][-+]?\d+)?$/,
  /^[-+]?(?:0x[\da-fA-F_]+|0b[01_]+|0o[0-7_]+)$/,
  /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/,
  /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/,
  /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ].*)?$/,
];

// Text that a plain scalar in block style must neither begin with nor contain.
const NOT_PLAIN = /^[#,[\]{}&*!|>'"%@`]|^[-?](?:\s|$)|^(?:---|\.\.\.)|^\s|\s$|:(?:\s|$)|\s#/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters
const SPECIAL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/;

/** Prints block style: keys in alphabetical order, nested keys indented by two spaces, list items not indented. */
export function printYaml(value: { readonly [key: string]: Plain }): string {
  return printMapping(value, "");
}

function printMapping(value: { readonly [key: string]: Plain }, indent: string): string {
  const keys = Object.keys(value).sort();
  return keys.map((key) => `${indent}${printText(key)}:${printValue(value[key] ?? null, indent)}`).join("");
}

/** Prints the value after `key:`, with its line end. */
function printValue(value: Plain, indent: string): string {
  if (isList(value)) {
    return value.length === 0 ? " []\n" : `\n${value.map((item) => `${indent}- ${printItem(item, indent)}`).join("")}`;
  }
  if (typeof value !== "object" || value === null) return ` ${printScalar(value)}\n`;
  return Object.keys(value).length === 0 ? " {}\n" : `\n${printMapping(value, `${indent}  `)}`;
}

/** Prints the value after `- `; a mapping begins on the same line. */
function printItem(item: Plain, indent: string): string {
  if (typeof item !== "object" || item === null || isList(item)) return `${printScalar(item)}\n`;
  return printMapping(item, `${indent}  `).slice(indent.length + 2);
}

function printScalar(value: Plain): string {
  return typeof value === "string" ? printText(value) : JSON.stringify(value);
}

/** Prints a plain scalar if it reads back as the same text, else quotes it like Go's YAML printer. */
function printText(text: string): string {
  if (SPECIAL.test(text) || NOT_A_STRING.some((shape) => shape.test(text))) return JSON.stringify(text);
  return NOT_PLAIN.test(text) ? `'${text.replaceAll("'", "''")}'` : text;
}

function isList(value: Plain): value is readonly Plain[] {
  return Array.isArray(value);
}
