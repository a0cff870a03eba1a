// How is a discovery.k8s.io/v1 EndpointSlice read?
import * as z from "zod";
import type { Place } from "../errors.ts";
import { parseAddress } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import { lean } from "../net/lean-list.ts";
import { type Complaints, type NotUsed, readObject } from "./checked-object.ts";
import { findForbiddenSort } from "./endpoint-address.ts";
import {
  emptyOrLabel,
  isLabel,
  labelValue,
  list,
  listed,
  optionalSubdomain,
  protocol,
  protocolOf,
  subdomain,
  whole,
  word,
} from "./grammar.ts";
import { hasText, namespaced, namespaceOf, textOf } from "./metadata.ts";
import type { ApiEndpoint, EndpointSlice } from "./objects.ts";
import { printPod, targetRef } from "./pod-reference.ts";
import { quote } from "./quote.ts";
import type { Reading } from "./reading.ts";

const SERVICE_NAME = "kubernetes.io/service-name";

/** By its presence, whatever its value, this label hides EndpointSlices and Endpoints from node proxies. */
export const HEADLESS = "service.kubernetes.io/headless";

const condition = z.boolean().nullish();

const endpoint = z.object({
  addresses: list(z.string()),
  conditions: z.object({ ready: condition, serving: condition, terminating: condition }).nullish(),
  nodeName: optionalSubdomain,
  targetRef,
  hints: z
    .object({
      forZones: list(z.object({ name: labelValue })),
      forNodes: list(z.object({ name: subdomain })),
    })
    .nullish(),
});

// A name left out is the API server's default, the empty one; one that is null on purpose has no meaning.
const portName = emptyOrLabel.nullable().optional();
const slicePort = z.object({
  name: portName,
  protocol,
  port: whole(0, 65535).nullish(),
});

const schema = z.object({
  metadata: namespaced(subdomain),
  addressType: word(["IPv4", "IPv6", "FQDN"]),
  ports: list(slicePort),
  endpoints: list(endpoint),
});

const withoutPods = schema.extend({ endpoints: list(endpoint.omit({ targetRef: true })) });

type RawSlice = z.infer<typeof schema>;
type RawEndpoint = z.infer<typeof endpoint>;

/**
 * Reads an EndpointSlice, applying API defaults. Slices of host names and of no Service are passed over; ports without
 * name or number and endpoints without a usable address are dropped one by one.
 */
export function readEndpointSlice(raw: unknown, place: Place): Reading<EndpointSlice> {
  return readObject(raw, place, { kind: "EndpointSlice", schema, project });
}

/** For a node proxy: nothing that it does is about Pods, and the names of tens of thousands would take their room. */
export function readSliceWithoutPods(raw: unknown, place: Place): Reading<EndpointSlice> {
  return readObject(raw, place, { kind: "EndpointSlice", schema: withoutPods, project });
}

function project(raw: RawSlice, complaints: Complaints): EndpointSlice | NotUsed {
  const { metadata, addressType: family } = raw;
  if (family === "FQDN") return { kind: "not used", reason: "its addresses are host names" };
  const service = textOf(metadata.labels, SERVICE_NAME) ?? "";
  if (service === "") return { kind: "not used", reason: `it has no label ${SERVICE_NAME}` };
  if (!isLabel(service)) {
    complaints.refuse(`metadata.labels[${quote(SERVICE_NAME)}]`, `must be a DNS label, not ${quote(service)}`);
  }
  return {
    kind: "EndpointSlice",
    namespace: namespaceOf(metadata),
    name: metadata.name,
    service,
    family,
    headless: hasText(metadata.labels, HEADLESS),
    ports: lean(readPorts(raw, complaints)),
    endpoints: lean(readEndpoints(raw, family, complaints)),
  };
}

function readEndpoints({ metadata, endpoints }: RawSlice, family: Family, complaints: Complaints) {
  return listed(endpoints).flatMap((each, index) => {
    const address = readAddress(listed(each.addresses), { family, field: `endpoints[${index}]` }, complaints);
    return address === undefined ? [] : [projectEndpoint(each, address, namespaceOf(metadata))];
  });
}

function readPorts({ ports }: RawSlice, { drop }: Complaints): EndpointSlice["ports"] {
  return listed(ports).flatMap(({ name = "", protocol, port }, index) => {
    if (name === null) drop(`ports[${index}].name`, "is null, so no port of a Service can match it");
    else if (!port) drop(`ports[${index}].port`, `must be a whole number from 1 to 65535, not ${quote(port)}`);
    else return [{ name, protocol: protocolOf(protocol), port }];
    return [];
  });
}

interface AddressPlace {
  readonly family: Family;
  /** The endpoint's own path. */
  readonly field: string;
}

// Only the first address counts, for every node proxy there is.
function readAddress(addresses: readonly string[], { family, field }: AddressPlace, complaints: Complaints) {
  const [written] = addresses;
  if (written === undefined) {
    complaints.drop(`${field}.addresses`, "has no address");
    return undefined;
  }
  const parsed = parseAddress(written);
  const first = `${field}.addresses[0]`;
  if (parsed?.family !== family) {
    complaints.refuse(first, `must be an ${family} address, not ${quote(written)}`);
    return undefined;
  }
  const sort = findForbiddenSort(parsed.text);
  if (sort !== undefined) complaints.drop(first, `is ${sort}, which no endpoint can be: ${quote(written)}`);
  return sort === undefined ? parsed.text : undefined;
}

function projectEndpoint(raw: RawEndpoint, address: string, namespace: string): ApiEndpoint {
  return {
    address,
    nodeName: raw.nodeName ?? "",
    ready: raw.conditions?.ready ?? true,
    serving: raw.conditions?.serving ?? true,
    terminating: raw.conditions?.terminating ?? false,
    zoneHints: namesOf(listed(raw.hints?.forZones)),
    nodeHints: namesOf(listed(raw.hints?.forNodes)),
    pod: printPod(raw.targetRef, namespace),
  };
}

function namesOf(hints: readonly { readonly name: string }[]): readonly string[] {
  return lean(hints.map(({ name }) => name));
}
