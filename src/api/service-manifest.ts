// Reads what a manifest says of a Service beside what becomes rules, for the explanations of lint.
import * as z from "zod";
import { parseAddress } from "../net/address.ts";
import { type Cidr, parseCidr } from "../net/cidr.ts";

/** One address of a load balancer's status. */
export interface IngressEntry {
  /** Canonical; empty where there is none, or none that can be read. */
  readonly address: string;
  /** `VIP` unless said. */
  readonly mode: string;
}

/** What is written, field by field, so that each entry still has its position. Of anything odd nothing is told. */
export interface ServiceManifest {
  readonly annotations: ReadonlyMap<string, string>;
  /** Empty: none. */
  readonly trafficDistribution: string;
  readonly publishNotReadyAddresses: boolean;
  /** By position in `spec.ports`: a number, the name of a container's port, or nothing. */
  readonly targetPorts: readonly (number | string | undefined)[];
  /** By position; empty where it is no address. */
  readonly externalIPs: readonly string[];
  /** By position; undefined where it is no CIDR. */
  readonly sourceRanges: readonly (Cidr | undefined)[];
  readonly ingress: readonly IngressEntry[];
}

const text = z.string().catch("");
const texts = z.array(text).catch([]);
const target = z.union([z.number(), z.string()]).optional().catch(undefined);

const NO_INGRESS = { ip: "", ipMode: "" };

const metadata = z.object({ annotations: z.record(z.string(), text).catch({}) });
const spec = z.object({
  trafficDistribution: text,
  publishNotReadyAddresses: z.boolean().catch(false),
  ports: z.array(z.object({ targetPort: target }).catch({ targetPort: undefined })).catch([]),
  externalIPs: texts,
  loadBalancerSourceRanges: texts,
});
const ingress = z.object({ ip: text, ipMode: text }).catch(NO_INGRESS);
const status = z.object({ loadBalancer: z.object({ ingress: z.array(ingress) }) });

const schema = z.object({
  metadata,
  spec,
  status: status.catch({ loadBalancer: { ingress: [] } }),
});

/** Reads what `readService` does not keep of an object that it could read. Throws for anything else. */
export function readServiceManifest(raw: unknown): ServiceManifest {
  const { metadata, spec, status } = schema.parse(raw);
  return {
    annotations: new Map(Object.entries(metadata.annotations)),
    trafficDistribution: spec.trafficDistribution,
    publishNotReadyAddresses: spec.publishNotReadyAddresses,
    targetPorts: spec.ports.map(({ targetPort }) => targetPort),
    externalIPs: spec.externalIPs.map(canonical),
    sourceRanges: spec.loadBalancerSourceRanges.map((range) => parseCidr(range.trim())),
    ingress: status.loadBalancer.ingress.map(({ ip, ipMode }) => ({ address: canonical(ip), mode: ipMode || "VIP" })),
  };
}

function canonical(written: string): string {
  return parseAddress(written)?.text ?? "";
}
