// What do we read of an object's metadata?
import * as z from "zod";
import { optionalLabel, subdomain } from "./grammar.ts";

const texts = z.record(z.string(), z.string().nullable()).nullish();

/** Labels or annotations. */
type Texts = z.infer<typeof texts>;

/** Metadata of a kind that lives in a namespace; the grammar of its name differs by kind. */
export function namespaced(name: z.ZodType<string>) {
  return z.object({ name, namespace: optionalLabel, labels: texts, annotations: texts });
}

/** Metadata of a kind without namespace. */
export const clusterWide = z.object({ name: subdomain, labels: texts });

/** Absent, null and empty mean `default`, as for `kubectl apply` without `-n`. */
export function namespaceOf({ namespace }: { readonly namespace?: string | null | undefined }): string {
  return namespace || "default";
}

/** Is there such a label or annotation, whatever it says? */
export function hasText(texts: Texts, key: string): boolean {
  return Object.hasOwn(texts ?? {}, key);
}

/** What it says; null on purpose, or undefined where there is none. */
export function textOf(texts: Texts, key: string): string | null | undefined {
  return hasText(texts, key) ? texts?.[key] : undefined;
}
