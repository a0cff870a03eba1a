// Reads which Pod the targetRef of an endpoint names.
import type { Fields } from "./checked-object.ts";
import { DNS_LABEL, DNS_SUBDOMAIN } from "./grammar.ts";

/** `namespace/name`, the namespace being that of the endpoints unless told; empty where no Pod is named. */
export function readPodReference(endpoint: Fields, namespace: string): string {
  const reference = endpoint.object("targetRef");
  const kind = reference?.text("kind");
  const ownNamespace = reference?.text("namespace", DNS_LABEL);
  const name = reference?.text("name", DNS_SUBDOMAIN);
  if (kind !== "Pod" || !name || ownNamespace === undefined) return "";
  return `${ownNamespace || namespace}/${name}`;
}
