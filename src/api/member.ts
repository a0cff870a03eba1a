// Reads members of unvalidated input where validating the whole input would take longer than reading it.

export function isObject(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === "object" && raw !== null;
}

/** The member of that name; undefined where there is none, or this is no object. */
export function memberOf(raw: unknown, name: string): unknown {
  return isObject(raw) ? raw[name] : undefined;
}

/** The text of that name: empty where it is absent or null, undefined where it is no text. */
export function textIn(raw: unknown, name: string): string | undefined {
  const value = memberOf(raw, name) ?? "";
  return typeof value === "string" ? value : undefined;
}
