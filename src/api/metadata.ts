// Reads the metadata of an object.
import type { Fields } from "./checked-object.ts";
import { DNS_LABEL, type Grammar } from "./grammar.ts";
import { quote } from "./quote.ts";

/** Labels or annotations; values that are no texts were reported. */
export type Texts = Readonly<Record<string, unknown>>;

export interface Metadata {
  readonly name: string;
  /** `default` where it is absent, as for `kubectl apply` without `-n`; meaningless for a kind without namespaces. */
  readonly namespace: string;
  /** Undefined where they are no object. */
  readonly labels: Texts | undefined;
  readonly annotations: Texts | undefined;
  readonly fields: Fields;
}

/** Undefined where the object has no usable identity. */
export function readMetadata(object: Fields, grammar: Grammar): Metadata | undefined {
  const fields = object.requiredObject("metadata");
  if (!fields) return undefined;
  const name = fields.requiredText("name", grammar);
  const namespace = fields.text("namespace", DNS_LABEL);
  const [labels, annotations] = [readTexts(fields, "labels"), readTexts(fields, "annotations")];
  if (name === undefined || namespace === undefined) return undefined;
  return { name, namespace: namespace || "default", labels, annotations, fields };
}

function readTexts(fields: Fields, name: "labels" | "annotations"): Texts | undefined {
  const texts = fields.map(name);
  for (const key in texts) {
    const value = texts[key];
    if (typeof value === "string" || value === null) continue;
    fields.object(name)?.report(`must be a string, not ${quote(value)}`, key);
  }
  return texts;
}

/** Is there such a label or annotation, whatever it says? */
export function hasText(texts: Texts | undefined, key: string): boolean {
  return Object.hasOwn(texts ?? {}, key);
}

/** What it says: empty where it is absent or null, undefined where it is no text. */
export function textOf(texts: Texts | undefined, key: string): string | undefined {
  const value = (hasText(texts, key) ? texts?.[key] : undefined) ?? "";
  return typeof value === "string" ? value : undefined;
}
