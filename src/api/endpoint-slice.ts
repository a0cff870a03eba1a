// Reads a discovery.k8s.io/v1 EndpointSlice.
import type { Place } from "../errors.ts";
import { parseAddress } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import { lean } from "../net/lean-list.ts";
import { PROTOCOLS } from "../net/protocol.ts";
import { type Fields, isLost, type NotUsed, readObject, usable } from "./checked-object.ts";
import { findForbiddenSort } from "./endpoint-address.ts";
import { DNS_LABEL, DNS_SUBDOMAIN, type Grammar, isLabel, LABEL_TEXT } from "./grammar.ts";
import { hasText, readMetadata, textOf } from "./metadata.ts";
import type { ApiEndpoint, EndpointSlice } from "./objects.ts";
import { readPodReference } from "./pod-reference.ts";
import { quote } from "./quote.ts";
import type { Reading } from "./reading.ts";

const SERVICE_NAME = "kubernetes.io/service-name";

/** By its presence, whatever its value, this label hides EndpointSlices and Endpoints from node proxies. */
export const HEADLESS = "service.kubernetes.io/headless";

/**
 * Reads an EndpointSlice, applying API defaults. Slices of host names and of no Service are passed over. An unusable
 * value costs that field, endpoint or port. The slice is unreadable only without its identity, an address type that is
 * known, or where not one of its ports or endpoints can be read.
 */
export function readEndpointSlice(raw: unknown, place: Place): Reading<EndpointSlice> {
  return readObject(raw, place, "EndpointSlice", (fields) => readFields(fields, readPodReference));
}

/** For a node proxy: nothing that it does is about Pods, and the names of tens of thousands would take their room. */
export function readSliceWithoutPods(raw: unknown, place: Place): Reading<EndpointSlice> {
  return readObject(raw, place, "EndpointSlice", (fields) => readFields(fields, () => ""));
}

type PodReader = typeof readPodReference;

function readFields(fields: Fields, readPod: PodReader): EndpointSlice | NotUsed | undefined {
  const metadata = readMetadata(fields, DNS_SUBDOMAIN);
  const family = readAddressType(fields);
  if (!metadata?.labels || family === undefined) return undefined;
  if (family === "FQDN") return { kind: "not used", reason: "its addresses are host names" };
  const { namespace, name, labels } = metadata;
  const service = textOf(labels, SERVICE_NAME);
  if (service === "") return { kind: "not used", reason: `it has no label ${SERVICE_NAME}` };
  const hasService = service !== undefined && isLabel(service);
  if (service !== undefined && !hasService) {
    metadata.fields.object("labels")?.report(`must be a DNS label, not ${quote(service)}`, SERVICE_NAME);
  }
  const ports = fields.objects("ports")?.map((each) => each && readPort(each));
  const inside = { family, namespace, readPod };
  const endpoints = fields.objects("endpoints")?.map((each) => each && readEndpoint(each, inside));
  if (!hasService || isLost(ports) || isLost(endpoints)) return undefined;
  return {
    kind: "EndpointSlice",
    namespace,
    name,
    service,
    family,
    headless: hasText(labels, HEADLESS),
    ports: lean(usable(ports).filter((port) => port !== "skipped")),
    endpoints: lean(usable(endpoints).filter((endpoint) => endpoint !== "skipped")),
  };
}

function readAddressType(fields: Fields): Family | "FQDN" | undefined {
  const types = ["IPv4", "IPv6", "FQDN"] as const;
  const written = fields.requiredText("addressType", {
    what: types.join(" or "),
    fits: (text) => types.some((type) => type === text),
  });
  return types.find((type) => type === written);
}

type SlicePort = EndpointSlice["ports"][number];

/** Skipped, as by kube-proxy, without a number or with a name that is null on purpose: the default is the empty one. */
function readPort(fields: Fields): SlicePort | "skipped" | undefined {
  const name = fields.text("name", DNS_LABEL);
  const protocol = fields.choice("protocol", PROTOCOLS, "TCP");
  const port = fields.whole("port", [0, 65535], 0);
  if (name === undefined || !protocol || port === undefined) return undefined;
  if (fields.raw("name") === null) fields.report("is null, so no port of a Service can match it", "name");
  else if (port === 0)
    fields.report(`must be a whole number from 1 to 65535, not ${quote(fields.raw("port"))}`, "port");
  else return { name, protocol, port };
  return "skipped";
}

interface EndpointInside {
  readonly family: Family;
  readonly namespace: string;
  readonly readPod: PodReader;
}

/** Skipped where it has no address, or one that no endpoint can have. */
function readEndpoint(
  fields: Fields,
  { family, namespace, readPod }: EndpointInside,
): ApiEndpoint | "skipped" | undefined {
  const address = readAddress(fields, family);
  const conditions = fields.object("conditions");
  const hints = fields.object("hints");
  const endpoint = {
    nodeName: fields.text("nodeName", DNS_SUBDOMAIN) ?? "",
    // One that is not known is taken for true, says the API; a value that cannot be read is no more known.
    ready: conditions?.flag("ready", true) ?? true,
    serving: conditions?.flag("serving", true) ?? true,
    terminating: conditions?.flag("terminating", false) ?? false,
    zoneHints: readHints(hints, "forZones", LABEL_TEXT),
    nodeHints: readHints(hints, "forNodes", DNS_SUBDOMAIN),
    pod: readPod(fields, namespace),
  };
  return address === undefined || address === "skipped" ? address : { address, ...endpoint };
}

// Only the first address counts, for every node proxy there is.
function readAddress(fields: Fields, family: Family): string | undefined {
  const addresses = fields.texts("addresses");
  if (addresses?.length === 0) {
    fields.report("has no address", "addresses");
    return "skipped";
  }
  const written = addresses?.[0];
  if (written === undefined) return undefined;
  const parsed = parseAddress(written);
  if (parsed?.family !== family) {
    fields.report(`must be an ${family} address, not ${quote(written)}`, "addresses", 0);
    return undefined;
  }
  const sort = findForbiddenSort(parsed.text);
  if (sort === undefined) return parsed.text;
  fields.report(`is ${sort}, which no endpoint can be: ${quote(written)}`, "addresses", 0);
  return "skipped";
}

function readHints(hints: Fields | undefined, name: "forZones" | "forNodes", grammar: Grammar): readonly string[] {
  return lean(usable(usable(hints?.objects(name)).map((hint) => hint.requiredText("name", grammar))));
}
