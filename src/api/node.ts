// How is a v1 Node read?
import * as z from "zod";
import type { Place } from "../errors.ts";
import { parseAddress } from "../net/address.ts";
import { type Complaints, readObject } from "./checked-object.ts";
import { cidr, list, listed, optionalLabelValue } from "./grammar.ts";
import { clusterWide, textOf } from "./metadata.ts";
import type { Node } from "./objects.ts";
import { quote } from "./quote.ts";
import type { Reading } from "./reading.ts";

const ZONE = "topology.kubernetes.io/zone";

/** The cluster autoscaler's announcement, whatever effect and value it gives. */
const TO_BE_DELETED = "ToBeDeletedByClusterAutoscaler";

const taint = z.object({ key: z.string().nullish() });
const spec = z.object({ podCIDR: cidr.nullish(), podCIDRs: list(cidr), taints: list(taint) }).nullish();
const nodeAddress = z.object({ type: z.string(), address: z.string() });
const status = z.object({ addresses: list(nodeAddress) }).nullish();

const metadata = clusterWide.extend({ deletionTimestamp: z.string().nullish() });

const schema = z.object({ metadata, spec, status });

type RawNode = z.infer<typeof schema>;

/** Reads a Node. Addresses of other types than InternalIP and ExternalIP do not count; unreadable ones are dropped. */
export function readNode(raw: unknown, place: Place): Reading<Node> {
  return readObject(raw, place, { kind: "Node", schema, project });
}

function project(raw: RawNode, complaints: Complaints): Node {
  const { metadata } = raw;
  return {
    kind: "Node",
    name: metadata.name,
    zone: readZone(textOf(metadata.labels, ZONE), complaints),
    addresses: [...readAddresses(raw, "InternalIP", complaints), ...readAddresses(raw, "ExternalIP", complaints)],
    podCIDRs: readPodCIDRs(raw),
    deleting: Boolean(metadata.deletionTimestamp),
    toBeDeleted: listed(raw.spec?.taints).some(({ key }) => key === TO_BE_DELETED),
  };
}

function readZone(written: string | null | undefined, { refuse }: Complaints): string {
  const zone = optionalLabelValue.safeParse(written);
  if (!zone.success) refuse(`metadata.labels[${quote(ZONE)}]`, `must be a label value, not ${quote(written)}`);
  return zone.data ?? "";
}

function readAddresses({ status }: RawNode, type: string, { drop }: Complaints): readonly string[] {
  return listed(status?.addresses).flatMap((each, index) => {
    if (each.type !== type) return [];
    const parsed = parseAddress(each.address);
    if (!parsed) drop(`status.addresses[${index}].address`, `must be an IP address, not ${quote(each.address)}`);
    return parsed ? [parsed.text] : [];
  });
}

// The single field is the first of the list; old objects have it alone.
function readPodCIDRs({ spec }: RawNode): readonly string[] {
  const several = listed(spec?.podCIDRs).map(({ text }) => text);
  const single = spec?.podCIDR ? [spec.podCIDR.text] : [];
  return several.length > 0 ? several : single;
}
