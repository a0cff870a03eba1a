// Reads a v1 Service.
import type { Place } from "../errors.ts";
import { familyOf, parseAddress } from "../net/address.ts";
import { parseCidr } from "../net/cidr.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import { lean } from "../net/lean-list.ts";
import { PROTOCOLS } from "../net/protocol.ts";
import { type Fields, isLost, readObject, usable } from "./checked-object.ts";
import { DNS_LABEL, type Grammar } from "./grammar.ts";
import { hasText, readMetadata } from "./metadata.ts";
import type { ApiServicePort, Service } from "./objects.ts";
import { quote } from "./quote.ts";
import type { Reading } from "./reading.ts";

const FOREIGN_PROXY = "service.kubernetes.io/service-proxy-name";

/** What the API server sets for ClientIP affinity, in seconds; the field's limits are 1 to 86400. */
const DEFAULT_AFFINITY = 10800;

const CLUSTER_IP: Grammar = {
  what: "an IP address or None",
  fits: (text) => text === "" || text === "None" || parseAddress(text) !== undefined,
};

const TYPES = ["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"] as const;
const POLICIES = ["Cluster", "Local"] as const;

/**
 * Reads a Service, applying API defaults. An unusable value costs that field or port. Words that are not known mean what
 * they mean to kube-proxy, which compares each field with the words it knows: an unknown session affinity is none, an
 * unknown policy is Cluster. The Service is unreadable only without a name, a spec, a usable one of its cluster IPs or a
 * usable one of its ports.
 */
export function readService(raw: unknown, place: Place): Reading<Service> {
  return readObject(raw, place, "Service", readFields);
}

function readFields(fields: Fields): Service | undefined {
  const metadata = readMetadata(fields, DNS_LABEL);
  const spec = fields.requiredObject("spec");
  if (!spec) return undefined;
  const type = spec.choice("type", TYPES, "ClusterIP") ?? "Unknown";
  const addresses = readClusterIPs(spec);
  const selector = spec.map("selector");
  const ports = readPorts(spec);
  const externalIPs = readExternalIPs(spec);
  const ingressVIPs = readIngress(fields);
  const sourceRanges = readSourceRanges(spec);
  const affinitySeconds = readAffinity(spec);
  const externalTrafficPolicy = spec.choice("externalTrafficPolicy", POLICIES, "Cluster") ?? "Cluster";
  const internalTrafficPolicy = spec.choice("internalTrafficPolicy", POLICIES, "Cluster") ?? "Cluster";
  const healthCheckNodePort = spec.whole("healthCheckNodePort", [0, 65535], 0) ?? 0;
  if (!metadata || !addresses || !ports) return undefined;
  return {
    kind: "Service",
    namespace: metadata.namespace,
    name: metadata.name,
    type,
    ...addresses,
    hasSelector: Object.keys(selector ?? {}).length > 0,
    ports: lean(ports),
    externalIPs: lean(externalIPs),
    ingressVIPs: lean(ingressVIPs),
    sourceRanges,
    affinitySeconds,
    externalTrafficPolicy,
    internalTrafficPolicy,
    healthCheckNodePort,
    foreignProxy: hasText(metadata.labels, FOREIGN_PROXY),
  };
}

// Of two ports of one name and protocol, which the API server refuses, the later one counts, as for kube-proxy.
function readPorts(spec: Fields): readonly ApiServicePort[] | undefined {
  const written = spec.objects("ports")?.map((each) => each && readPort(each));
  if (isLost(written)) return undefined;
  const ports = new Map<string, ApiServicePort>();
  written?.forEach((port, index) => {
    if (!port) return;
    const key = `${port.name}/${port.protocol}`;
    if (ports.delete(key)) {
      const reason = `is the second ${port.protocol} port of the name ${quote(port.name)}`;
      spec.objects("ports")?.[index]?.report(reason, "name");
    }
    ports.set(key, port);
  });
  return [...ports.values()];
}

function readPort(fields: Fields): ApiServicePort | undefined {
  const name = fields.text("name", DNS_LABEL);
  const protocol = fields.choice("protocol", PROTOCOLS, "TCP");
  const port = fields.requiredWhole("port", [1, 65535]);
  const nodePort = fields.whole("nodePort", [0, 65535], 0) ?? 0;
  return name === undefined || !protocol || port === undefined ? undefined : { name, protocol, port, nodePort };
}

type ClusterIPs = Pick<Service, "clusterIP" | "clusterIPs" | "ipFamilies">;

/**
 * An address counts for the family at the same position. A position whose address or family cannot be used is left out;
 * undefined where nothing is left of what is written.
 */
function readClusterIPs(spec: Fields): ClusterIPs | undefined {
  const single = canonical(spec.text("clusterIP", CLUSTER_IP));
  const written = spec.texts("clusterIPs") ?? [undefined];
  const families = spec.list("ipFamilies") ?? [];
  const clusterIPs: string[] = [];
  const ipFamilies: Family[] = [];
  let isComplete = single !== undefined;
  for (let index = 0; index < Math.max(written.length, families.length); index++) {
    const ownAddress = index < written.length ? readClusterIP(spec, written, index) : "";
    // The single field is the first of the list.
    const address = ownAddress === undefined && index === 0 && isAddress(single) ? single : ownAddress;
    const family = index < families.length ? readFamily(spec, families, index) : "any";
    if (address === undefined || family === undefined || !fits(spec, { address, family, index })) isComplete = false;
    else {
      if (isAddress(address)) clusterIPs.push(address);
      if (family !== "any") ipFamilies.push(family);
    }
  }
  const clusterIP = single ?? clusterIPs[0];
  if (clusterIP === undefined || (!isComplete && clusterIPs.length === 0 && isAddress(clusterIP))) return undefined;
  return { clusterIP, clusterIPs: lean(clusterIPs), ipFamilies: lean(ipFamilies) };
}

function readClusterIP(spec: Fields, written: readonly (string | undefined)[], index: number): string | undefined {
  const text = written[index];
  if (text === undefined) return undefined;
  if (!CLUSTER_IP.fits(text)) spec.report(`must be ${CLUSTER_IP.what}, not ${quote(text)}`, "clusterIPs", index);
  else if (isAddress(text) || written.length === 1) return canonical(text);
  else spec.report(`must be an IP address where there are two, not ${quote(text)}`, "clusterIPs", index);
  return undefined;
}

function readFamily(spec: Fields, families: readonly unknown[], index: number): Family | undefined {
  const family = FAMILIES.find((each) => each === families[index]);
  if (!family) spec.report(`must be ${FAMILIES.join(" or ")}, not ${quote(families[index])}`, "ipFamilies", index);
  return family;
}

interface ClusterAddress {
  readonly address: string;
  readonly family: Family | "any";
  readonly index: number;
}

// A rule of one family cannot bear the other family's address.
function fits(spec: Fields, { address, family, index }: ClusterAddress): boolean {
  if (!isAddress(address) || family === "any" || family === familyOf(address)) return true;
  const reason = `must be of the family in spec.ipFamilies[${index}], ${family}, not ${quote(address)}`;
  spec.report(reason, "clusterIPs", index);
  return false;
}

/** `None` and nothing stay what they are. */
function canonical(clusterIP: string | undefined): string | undefined {
  return clusterIP && (parseAddress(clusterIP)?.text ?? clusterIP);
}

function isAddress(clusterIP: string | undefined): clusterIP is string {
  return clusterIP !== undefined && clusterIP !== "" && clusterIP !== "None";
}

function readExternalIPs(spec: Fields): readonly string[] {
  return usable(
    spec.texts("externalIPs")?.map((text, index) => {
      if (text === undefined || text.trim() === "") return undefined;
      const parsed = parseAddress(text);
      if (!parsed) spec.report(`must be an IP address, not ${quote(text)}`, "externalIPs", index);
      return parsed?.text;
    }),
  );
}

// A load balancer that answers for itself says `Proxy`: traffic to its address must reach it. A mode that is not known
// is not VIP either.
function readIngress(fields: Fields): readonly string[] {
  const ingress = fields.object("status")?.object("loadBalancer")?.objects("ingress");
  return usable(ingress).flatMap((each) => {
    const [ip, mode] = [each.text("ip"), each.choice("ipMode", ["VIP", "Proxy"], "VIP")];
    if (!ip || mode !== "VIP") return [];
    const parsed = parseAddress(ip);
    if (!parsed) each.report(`must be an IP address, not ${quote(ip)}`, "ip");
    return parsed ? [parsed.text] : [];
  });
}

// Ranges that were given and are all unreadable must not open the Service to everyone.
function readSourceRanges(spec: Fields): Service["sourceRanges"] {
  const written = spec.texts("loadBalancerSourceRanges");
  if (written?.length === 0) return "everyone";
  const ranges = written?.map((text, index) => {
    const parsed = text === undefined ? undefined : parseCidr(text.trim());
    if (text !== undefined && !parsed)
      spec.report(`must be a CIDR, not ${quote(text)}`, "loadBalancerSourceRanges", index);
    return parsed?.text;
  });
  return usable(ranges);
}

function readAffinity(spec: Fields): number {
  const affinity = spec.choice("sessionAffinity", ["None", "ClientIP"], "None");
  const config = spec.object("sessionAffinityConfig")?.object("clientIP");
  const seconds = config?.whole("timeoutSeconds", [1, 86400], DEFAULT_AFFINITY) ?? DEFAULT_AFFINITY;
  return affinity === "ClientIP" ? seconds : 0;
}
