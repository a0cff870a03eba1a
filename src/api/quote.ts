// Quotes untrusted values for messages, so that they break neither the line nor the terminal.
import { isObject } from "./member.ts";

const LONGEST = 60;

/** The value in quotes, cut after 60 characters, everything but printable ASCII escaped; objects only by their sort. */
export function quote(value: unknown): string {
  if (typeof value === "string") return quoteText(value);
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "an object";
  return String(value);
}

function quoteText(text: string): string {
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
  return escapeForeign(JSON.stringify(shown));
}

/** Text of another program made fit for one line: control characters and all beyond ASCII become escapes. */
export function escapeForeign(text: string): string {
  return text.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
