// Reads what a manifest says of an EndpointSlice, whether or not a node proxy can use it.
import * as z from "zod";
import { parseAddress } from "../net/address.ts";
import { isSubdomain } from "./grammar.ts";

/** What is written, entry by entry, so that each endpoint still has its position. Of anything odd nothing is told. */
export interface SliceManifest {
  readonly namespace: string;
  readonly name: string;
  /** Label `kubernetes.io/service-name`; empty: none. */
  readonly service: string;
  /** `IPv4`, `IPv6`, `FQDN`. */
  readonly addressType: string;
  /** By position, the addresses of each endpoint; canonical where they are IP addresses. */
  readonly endpoints: readonly (readonly string[])[];
}

const text = z.string().catch("");

const schema = z.object({
  kind: z.literal("EndpointSlice"),
  metadata: z.object({
    name: z.string().refine(isSubdomain),
    namespace: z.string().min(1).catch("default"),
    labels: z.record(z.string(), text).catch({}),
  }),
  addressType: text,
  endpoints: z.array(z.object({ addresses: z.array(text).catch([]) })).catch([]),
});

/** Undefined for what is no EndpointSlice. */
export function readSliceManifest(raw: unknown): SliceManifest | undefined {
  const { data } = schema.safeParse(raw);
  return (
    data && {
      namespace: data.metadata.namespace,
      name: data.metadata.name,
      service: data.metadata.labels["kubernetes.io/service-name"] ?? "",
      addressType: data.addressType,
      endpoints: data.endpoints.map(({ addresses }) => addresses.map((each) => parseAddress(each)?.text ?? each)),
    }
  );
}
