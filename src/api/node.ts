// Reads a v1 Node.
import type { Place } from "../errors.ts";
import { parseAddress } from "../net/address.ts";
import { parseCidr } from "../net/cidr.ts";
import { type Fields, isLost, readObject, textProblem, usable } from "./checked-object.ts";
import { DNS_SUBDOMAIN, LABEL_TEXT } from "./grammar.ts";
import { type Metadata, readMetadata, textOf } from "./metadata.ts";
import type { Node } from "./objects.ts";
import { quote } from "./quote.ts";
import type { Reading } from "./reading.ts";

const ZONE = "topology.kubernetes.io/zone";

/** The cluster autoscaler's announcement, whatever effect and value it gives. */
const TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler";

/**
 * Reads a Node. Addresses of other types than InternalIP and ExternalIP do not count. Each unusable value is dropped;
 * only where none of several pod CIDRs can be used is the Node unreadable, for another pod CIDR ends the daemon.
 */
export function readNode(raw: unknown, place: Place): Reading<Node> {
  return readObject(raw, place, "Node", readFields);
}

function readFields(fields: Fields): Node | undefined {
  const metadata = readMetadata(fields, DNS_SUBDOMAIN);
  const spec = fields.object("spec");
  const podCIDRs = spec && readPodCIDRs(spec);
  const taints = usable(spec?.objects("taints")).map((taint) => taint.text("key"));
  const addresses = readAddresses(fields);
  if (!metadata || !podCIDRs) return undefined;
  return {
    kind: "Node",
    name: metadata.name,
    zone: readZone(metadata),
    addresses: ["InternalIP", "ExternalIP"].flatMap((type) => {
      return addresses.filter((each) => each.type === type).map(({ address }) => address);
    }),
    podCIDRs,
    deleting: Boolean(metadata.fields.text("deletionTimestamp")),
    toBeDeleted: taints.includes(TO_BE_DELETED),
  };
}

function readZone({ labels, fields }: Metadata): string {
  const zone = textOf(labels, ZONE) ?? "";
  if (LABEL_TEXT.fits(zone)) return zone;
  fields.object("labels")?.report(textProblem(zone, LABEL_TEXT), ZONE);
  return "";
}

interface NodeAddress {
  readonly type: string;
  /** Canonical. */
  readonly address: string;
}

function readAddresses(fields: Fields): readonly NodeAddress[] {
  return usable(fields.object("status")?.objects("addresses")).flatMap((each) => {
    const [type, written] = [each.requiredText("type"), each.requiredText("address")];
    if (written === undefined || (type !== "InternalIP" && type !== "ExternalIP")) return [];
    const address = parseAddress(written)?.text;
    if (address !== undefined) return [{ type, address }];
    each.report(`must be an IP address, not ${quote(written)}`, "address");
    return [];
  });
}

// The single field is the first of the list; old objects have it alone.
function readPodCIDRs(spec: Fields): readonly string[] | undefined {
  const several = spec.texts("podCIDRs")?.map((text, index) => readCidr(spec, text, ["podCIDRs", index]));
  const written = spec.text("podCIDR");
  const single = written === "" ? [] : [readCidr(spec, written, ["podCIDR"])];
  const found = [usable(several), usable(single)].find((cidrs) => cidrs.length > 0) ?? [];
  return found.length === 0 && (isLost(several) || isLost(single)) ? undefined : found;
}

function readCidr(spec: Fields, text: string | undefined, at: readonly [string, number?]): string | undefined {
  const cidr = text === undefined ? undefined : parseCidr(text)?.text;
  if (text !== undefined && cidr === undefined) spec.report(`must be a CIDR, not ${quote(text)}`, ...at);
  return cidr;
}
