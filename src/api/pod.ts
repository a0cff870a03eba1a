// How is a v1 Pod read?
import * as z from "zod";
import type { Place } from "../errors.ts";
import { readObject } from "./checked-object.ts";
import { address, list, listed, optionalSubdomain, subdomain } from "./grammar.ts";
import { namespaced, namespaceOf } from "./metadata.ts";
import type { Pod } from "./objects.ts";
import type { Reading } from "./reading.ts";

const schema = z.object({
  metadata: namespaced(subdomain),
  spec: z.object({ nodeName: optionalSubdomain }).nullish(),
  status: z
    .object({
      podIP: address.nullish(),
      podIPs: list(z.object({ ip: address })),
    })
    .nullish(),
});

/** Reads a Pod: where it runs and its addresses, none while it has no status. */
export function readPod(raw: unknown, place: Place): Reading<Pod> {
  return readObject(raw, place, { kind: "Pod", schema, project });
}

function project({ metadata, spec, status }: z.infer<typeof schema>): Pod {
  const several = listed(status?.podIPs).map(({ ip }) => ip);
  const single = status?.podIP ? [status.podIP] : [];
  return {
    kind: "Pod",
    namespace: namespaceOf(metadata),
    name: metadata.name,
    nodeName: spec?.nodeName ?? "",
    ips: several.length > 0 ? several : single,
  };
}
