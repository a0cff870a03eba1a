// Does an object fit the selectors of a request?
import type { ApiObject } from "./store.ts";

export type Filter = (object: ApiObject) => boolean;

/** Of `labelSelector` the forms `key`, `!key`, `key=value`; of `fieldSelector` `path=value` and `path!=value`. */
export function readFilter(query: URLSearchParams): Filter {
  const labels = split(query.get("labelSelector")).map(readLabel);
  const fields = split(query.get("fieldSelector")).map(readField);
  return (object) => [...labels, ...fields].every((fits) => fits(object));
}

function split(text: string | null): readonly string[] {
  // A comma behind a backslash belongs to a value.
  return (text ?? "").match(/(?:\\.|[^,\\])+/g) ?? [];
}

function readLabel(text: string): Filter {
  if (text.startsWith("!")) return ({ metadata }) => metadata.labels?.[text.slice(1)] === undefined;
  const [key = "", value] = text.split("=");
  return ({ metadata }) => {
    const found = metadata.labels?.[key];
    return value === undefined ? found !== undefined : found === value;
  };
}

function readField(text: string): Filter {
  const [, path = "", mark, escaped = ""] = /^(.*?)(!?=)(.*)$/.exec(text) ?? [];
  const value = escaped.replace(/\\(.)/g, "$1");
  return (object) => (String(follow(object, path.split(".")) ?? "") === value) === (mark === "=");
}

function follow(value: unknown, path: readonly string[]): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const inside = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return follow(inside.find(([key]) => key === step)?.[1], rest);
}
