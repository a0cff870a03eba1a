// Reads a YAML or JSON document: one object, or a list of them.
import * as z from "zod";
import { InputError, type Place } from "../errors.ts";
import { describeIssue, enterField, listFaults } from "./checked-object.ts";
import { readEndpointSlice } from "./endpoint-slice.ts";
import { readEndpoints } from "./endpoints.ts";
import { isObject, memberOf } from "./member.ts";
import { readNode } from "./node.ts";
import type { Kind, KubernetesObject } from "./objects.ts";
import { readPod } from "./pod.ts";
import { quote } from "./quote.ts";
import { joinReadings, passOver, type Reading, refuse } from "./reading.ts";
import { readService } from "./service.ts";

interface Reader {
  readonly apiVersion: string;
  readonly read: (raw: unknown, place: Place) => Reading<KubernetesObject>;
}

const READERS: Readonly<Record<Kind, Reader>> = {
  Service: { apiVersion: "v1", read: readService },
  EndpointSlice: { apiVersion: "discovery.k8s.io/v1", read: readEndpointSlice },
  Endpoints: { apiVersion: "v1", read: readEndpoints },
  Node: { apiVersion: "v1", read: readNode },
  Pod: { apiVersion: "v1", read: readPod },
};

const readers: ReadonlyMap<string, Reader> = new Map(Object.entries(READERS));

const head = z.looseObject({
  apiVersion: z.string().nullish(),
  kind: z.string().nullish(),
});

/** Reads one YAML or JSON document: an object, or a list of them (`List`, `ServiceList`, …), item by item. */
export function readDocument(raw: unknown, place: Place): Reading<KubernetesObject> {
  if (place.field === undefined && isForeign(raw)) {
    return passOver(place, "is not a Kubernetes object (no apiVersion and kind)", "foreign");
  }
  const parsed = head.safeParse(raw);
  const kind = parsed.data?.kind ?? "";
  if (!parsed.success || !kind.endsWith("List")) return readSingle(raw, place);
  const itemKind = kind.slice(0, -"List".length);
  if (itemKind !== "" && !readers.has(itemKind)) return passOver(place, `kind ${quote(kind)} is not used`);
  const items = parsed.data.items ?? [];
  if (!Array.isArray(items)) return refuseAt(place, "items", `must be a list, not ${quote(items)}`);
  // Items of a typed list may leave out what the list already says.
  const implied = itemKind === "" ? {} : { kind: itemKind, apiVersion: parsed.data.apiVersion };
  return joinReadings(items.map((item, index) => readSingle(item, { ...place, field: `items[${index}]` }, implied)));
}

/**
 * Is it YAML or JSON of another program? What lacks only its apiVersion and is of a kind that we use, or lacks only its
 * kind and has metadata, is a broken object instead. A Helm Chart.yaml has an apiVersion, and neither kind nor metadata.
 */
function isForeign(raw: unknown): boolean {
  if (!isObject(raw) || Array.isArray(raw)) return true;
  const kind = memberOf(raw, "kind") ?? "";
  const apiVersion = memberOf(raw, "apiVersion") ?? "";
  if (kind === "") return apiVersion === "" || !isObject(memberOf(raw, "metadata"));
  return apiVersion === "" && !isUsedKind(kind);
}

/** A kind that we use, or a list of objects. */
function isUsedKind(kind: unknown): boolean {
  return typeof kind === "string" && (kind === "List" || readers.has(kind) || readers.has(kind.replace(/List$/, "")));
}

interface Implied {
  readonly kind?: string;
  readonly apiVersion?: string | null | undefined;
}

function readSingle(raw: unknown, place: Place, implied: Implied = {}): Reading<KubernetesObject> {
  const parsed = head.safeParse(raw, { error: describeIssue });
  if (!parsed.success) return refuse(...listFaults(parsed.error, place));
  const kind = parsed.data.kind ?? implied.kind;
  const apiVersion = parsed.data.apiVersion ?? implied.apiVersion;
  if (!kind) return refuseAt(place, "kind", "is missing");
  if (!apiVersion) return refuseAt(place, "apiVersion", "is missing");
  const reader = readers.get(kind);
  if (!reader || isOtherGroup(apiVersion, reader.apiVersion)) {
    return passOver(place, `kind ${quote(kind)} of ${quote(apiVersion)} is not used`);
  }
  if (apiVersion === reader.apiVersion) return reader.read(raw, place);
  return refuseAt(place, "apiVersion", `of kind ${kind} must be ${reader.apiVersion}, not ${quote(apiVersion)}`);
}

// Other groups have kinds of the same name, such as Knative's Service. Groups of today's objects all have a dot.
function isOtherGroup(apiVersion: string, wanted: string): boolean {
  const [group = ""] = apiVersion.split("/");
  return group.includes(".") && !wanted.startsWith(`${group}/`);
}

function refuseAt(place: Place, field: string, reason: string): Reading<never> {
  return refuse(new InputError(enterField(place, field), reason));
}
