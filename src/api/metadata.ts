// What do we read of an object's metadata?
import * as z from "zod";
import { optionalLabel, subdomain } from "./grammar.ts";

const texts = z
  .record(z.string(), z.string().nullable())
  .nullish()
  .transform((record) => new Map(Object.entries(record ?? {})));

/** Absent, null and empty mean `default`, as for `kubectl apply` without `-n`. */
const namespace = optionalLabel.transform((text) => text || "default");

/** Metadata of a kind that lives in a namespace; the grammar of its name differs by kind. */
export function namespaced(name: z.ZodType<string>) {
  return z.object({ name, namespace, labels: texts, annotations: texts });
}

/** Metadata of a kind without namespace. */
export const clusterWide = z.object({ name: subdomain, labels: texts });
