// How is a v1 Service read?
import * as z from "zod";
import type { Place } from "../errors.ts";
import { familyOf, parseAddress } from "../net/address.ts";
import { parseCidr } from "../net/cidr.ts";
import { FAMILIES } from "../net/family.ts";
import { lean } from "../net/lean-list.ts";
import { type Complaints, readObject } from "./checked-object.ts";
import {
  choice,
  clusterIP,
  label,
  list,
  listed,
  optionalLabel,
  optionalPort,
  port,
  protocol,
  protocolOf,
  whole,
  word,
} from "./grammar.ts";
import { hasText, namespaced, namespaceOf } from "./metadata.ts";
import type { ApiServicePort, Service } from "./objects.ts";
import { quote } from "./quote.ts";
import type { Reading } from "./reading.ts";

const FOREIGN_PROXY = "service.kubernetes.io/service-proxy-name";

/** What the API server sets for ClientIP affinity, in seconds; the field's limits are 1 to 86400. */
const DEFAULT_AFFINITY = 10800;

const timeoutSeconds = z.object({ timeoutSeconds: whole(1, 86400).nullish() }).nullish();

const servicePort = z.object({ name: optionalLabel, protocol, port, nodePort: optionalPort });

const spec = z.object({
  type: choice(["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]),
  clusterIP: clusterIP.nullish(),
  clusterIPs: list(clusterIP),
  ipFamilies: list(word(FAMILIES)),
  selector: z.record(z.string(), z.unknown()).nullish(),
  ports: list(servicePort),
  externalIPs: list(z.string()),
  loadBalancerSourceRanges: list(z.string()),
  sessionAffinity: choice(["None", "ClientIP"]),
  sessionAffinityConfig: z.object({ clientIP: timeoutSeconds }).nullish(),
  externalTrafficPolicy: choice(["Cluster", "Local"]),
  internalTrafficPolicy: choice(["Cluster", "Local"]),
  healthCheckNodePort: optionalPort,
});

const ingress = z.object({
  ip: z.string().nullish(),
  ipMode: z.string().nullish(),
});
const status = z.object({ loadBalancer: z.object({ ingress: list(ingress) }).nullish() }).nullish();

const schema = z.object({ metadata: namespaced(label), spec, status });

type RawService = z.infer<typeof schema>;
type RawSpec = RawService["spec"];
type RawPort = z.infer<typeof servicePort>;

/** Reads a Service, applying API defaults. External IPs, ingress IPs and source ranges are dropped one by one. */
export function readService(raw: unknown, place: Place): Reading<Service> {
  return readObject(raw, place, { kind: "Service", schema, project });
}

function project(raw: RawService, complaints: Complaints): Service {
  const { metadata, spec } = raw;
  const ports = listed(spec.ports).map(readPort);
  refuseTwins(ports, complaints);
  return {
    kind: "Service",
    namespace: namespaceOf(metadata),
    name: metadata.name,
    type: spec.type || "ClusterIP",
    clusterIP: canonical(spec.clusterIP ?? ""),
    clusterIPs: lean(readClusterIPs(spec, complaints)),
    ipFamilies: lean(listed(spec.ipFamilies)),
    hasSelector: Object.keys(spec.selector ?? {}).length > 0,
    ports: lean(ports),
    externalIPs: lean(readExternalIPs(listed(spec.externalIPs), complaints)),
    ingressVIPs: lean(readIngress(raw, complaints)),
    sourceRanges: readSourceRanges(listed(spec.loadBalancerSourceRanges), complaints),
    affinitySeconds: readAffinity(spec),
    externalTrafficPolicy: spec.externalTrafficPolicy || "Cluster",
    internalTrafficPolicy: spec.internalTrafficPolicy || "Cluster",
    healthCheckNodePort: spec.healthCheckNodePort ?? 0,
    foreignProxy: hasText(metadata.labels, FOREIGN_PROXY),
  };
}

function readPort({ name, protocol, port, nodePort }: RawPort): ApiServicePort {
  return { name: name ?? "", protocol: protocolOf(protocol), port, nodePort: nodePort ?? 0 };
}

// One of two such ports would hide the other, in an order that nobody wrote down.
function refuseTwins(ports: readonly ApiServicePort[], { refuse }: Complaints): void {
  const seen = new Set<string>();
  ports.forEach(({ name, protocol }, index) => {
    const key = `${name}/${protocol}`;
    if (seen.has(key)) refuse(`spec.ports[${index}].name`, `is the second ${protocol} port of the name ${quote(name)}`);
    seen.add(key);
  });
}

// The API server holds each address to the family of its place; a rule of one family cannot bear the other's address.
function readClusterIPs(spec: RawSpec, { refuse }: Complaints): readonly string[] {
  const [clusterIPs, ipFamilies] = [listed(spec.clusterIPs).map(canonical), listed(spec.ipFamilies)];
  clusterIPs.forEach((text, index) => {
    const field = `spec.clusterIPs[${index}]`;
    const family = ipFamilies[index];
    if (!isAddress(text)) {
      if (clusterIPs.length > 1) refuse(field, `must be an IP address where there are two, not ${quote(text)}`);
    } else if (family !== undefined && family !== familyOf(text)) {
      refuse(field, `must be of the family in spec.ipFamilies[${index}], ${family}, not ${quote(text)}`);
    }
  });
  return clusterIPs.filter(isAddress);
}

/** `None` and nothing stay what they are. */
function canonical(clusterIP: string): string {
  return parseAddress(clusterIP)?.text ?? clusterIP;
}

function isAddress(clusterIP: string): boolean {
  return clusterIP !== "" && clusterIP !== "None";
}

function readExternalIPs(written: readonly string[], { drop }: Complaints): readonly string[] {
  return written.flatMap((text, index) => {
    if (text.trim() === "") return [];
    const parsed = parseAddress(text);
    if (!parsed) drop(`spec.externalIPs[${index}]`, `must be an IP address, not ${quote(text)}`);
    return parsed ? [parsed.text] : [];
  });
}

// A load balancer that answers for itself says `Proxy`: traffic to its address must reach it.
function readIngress({ status }: RawService, { drop }: Complaints): readonly string[] {
  return listed(status?.loadBalancer?.ingress).flatMap(({ ip, ipMode }, index) => {
    if (!ip || (ipMode ?? "VIP") !== "VIP") return [];
    const parsed = parseAddress(ip);
    if (!parsed) drop(`status.loadBalancer.ingress[${index}].ip`, `must be an IP address, not ${quote(ip)}`);
    return parsed ? [parsed.text] : [];
  });
}

// Ranges that were given and are all unreadable must not open the Service to everyone.
function readSourceRanges(written: readonly string[], { drop }: Complaints): Service["sourceRanges"] {
  if (written.length === 0) return "everyone";
  return written.flatMap((text, index) => {
    const parsed = parseCidr(text.trim());
    if (!parsed) drop(`spec.loadBalancerSourceRanges[${index}]`, `must be a CIDR, not ${quote(text)}`);
    return parsed ? [parsed.text] : [];
  });
}

function readAffinity({ sessionAffinity, sessionAffinityConfig }: RawSpec): number {
  if (sessionAffinity !== "ClientIP") return 0;
  return sessionAffinityConfig?.clientIP?.timeoutSeconds ?? DEFAULT_AFFINITY;
}
