// Reads a legacy v1 Endpoints object.
import type { Place } from "../errors.ts";
import { parseAddress } from "../net/address.ts";
import { PROTOCOLS } from "../net/protocol.ts";
import { type Fields, isLost, type NotUsed, readObject, usable } from "./checked-object.ts";
import { findForbiddenSort } from "./endpoint-address.ts";
import { HEADLESS } from "./endpoint-slice.ts";
import { DNS_LABEL, DNS_SUBDOMAIN, isLabel } from "./grammar.ts";
import { hasText, readMetadata, textOf } from "./metadata.ts";
import { type MirroredAddress, type MirroredSubset, mirrorSubsets } from "./mirrored-slices.ts";
import type { Endpoints } from "./objects.ts";
import { readPodReference } from "./pod-reference.ts";
import { quote } from "./quote.ts";
import type { Reading } from "./reading.ts";

const SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror";
const LEADER = "control-plane.alpha.kubernetes.io/leader";

/**
 * Reads an Endpoints object as the slices a control plane mirrors it into. Objects that are marked as not to be
 * mirrored, or that carry the lock of a leader election, are passed over; unusable addresses and ports are dropped one
 * by one.
 */
export function readEndpoints(raw: unknown, place: Place): Reading<Endpoints> {
  return readObject(raw, place, "Endpoints", readFields);
}

function readFields(fields: Fields): Endpoints | NotUsed | undefined {
  const metadata = readMetadata(fields, DNS_SUBDOMAIN);
  const subsets = fields.objects("subsets");
  if (!metadata) return undefined;
  const { namespace, name, labels, annotations } = metadata;
  if (textOf(labels, SKIP_MIRROR) === "true") return { kind: "not used", reason: `its label ${SKIP_MIRROR} is true` };
  if (hasText(annotations, LEADER))
    return {
      kind: "not used",
      reason: `its annotation ${LEADER} makes it a lock`,
    };
  if (!isLabel(name)) return { kind: "not used", reason: "no Service can have its name" };
  if (isLost(subsets)) return undefined;
  const read = usable(subsets).map((subset) => readSubset(subset, namespace));
  const { slices, dropped } = mirrorSubsets({ namespace, name, headless: hasText(labels, HEADLESS) }, read);
  if (dropped > 0) fields.report(`have more than 1000 addresses for the same ports: ${dropped} left out`, "subsets");
  return { kind: "Endpoints", namespace, name, slices };
}

function readSubset(subset: Fields, namespace: string): MirroredSubset {
  const ports = usable(subset.objects("ports")).map((each) => {
    const [name, protocol] = [each.text("name", DNS_LABEL), each.choice("protocol", PROTOCOLS, "TCP")];
    const port = each.requiredWhole("port", [1, 65535]);
    return name === undefined || !protocol || port === undefined ? undefined : { name, protocol, port };
  });
  const addresses = (["addresses", "notReadyAddresses"] as const).flatMap((list) =>
    usable(subset.objects(list)).map((each) => readAddress(each, { namespace, ready: list === "addresses" })),
  );
  return { ports: usable(ports), addresses: usable(addresses) };
}

interface AddressPlace {
  readonly namespace: string;
  readonly ready: boolean;
}

function readAddress(fields: Fields, { namespace, ready }: AddressPlace): MirroredAddress | undefined {
  // Texts from Kubernetes' first years write `IP`.
  const ip = fields.text("ip");
  const written = ip === "" ? fields.text("IP") : ip;
  const nodeName = fields.text("nodeName", DNS_SUBDOMAIN) ?? "";
  const pod = readPodReference(fields, namespace);
  if (written === undefined) return undefined;
  const parsed = parseAddress(written);
  const sort = parsed && findForbiddenSort(parsed.text);
  if (!parsed) fields.report(`must be an IP address, not ${quote(written)}`, "ip");
  else if (sort !== undefined) fields.report(`is ${sort}, which no endpoint can be: ${quote(written)}`, "ip");
  else return { ...parsed, ready, nodeName, pod };
  return undefined;
}
