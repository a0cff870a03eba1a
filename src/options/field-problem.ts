// How does Kubernetes word what is wrong with a field?
import type { Plain } from "./value-type.ts";

/** `PATH: Invalid value: VALUE: REASON`, the value as JSON. */
export function invalid(path: string, value: Plain, reason: string): string {
  return `${path}: Invalid value: ${JSON.stringify(value)}: ${reason}`;
}

/** `PATH: Unsupported value: VALUE: supported values: "a", "b"`. */
export function unsupported(path: string, value: string, supported: readonly string[]): string {
  const list = supported.map((each) => JSON.stringify(each)).join(", ");
  return `${path}: Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`;
}

export function forbidden(path: string, reason: string): string {
  return `${path}: Forbidden: ${reason}`;
}

export function required(path: string, reason: string): string {
  return `${path}: Required value: ${reason}`;
}
