// Which Pod does an endpoint's targetRef name?
import * as z from "zod";
import { optionalLabel, optionalSubdomain } from "./grammar.ts";

export const targetRef = z
  .object({
    kind: z.string().nullish(),
    namespace: optionalLabel,
    name: optionalSubdomain,
  })
  .nullish();

/** `namespace/name`, the namespace being that of the endpoints unless told; empty when no Pod is named. */
export function printPod(reference: z.infer<typeof targetRef>, namespace: string): string {
  if (reference?.kind !== "Pod" || !reference.name) return "";
  return `${reference.namespace || namespace}/${reference.name}`;
}
