// How is a legacy v1 Endpoints object read?
import * as z from "zod";
import type { Place } from "../errors.ts";
import { parseAddress } from "../net/address.ts";
import { type Complaints, type NotUsed, readObject } from "./checked-object.ts";
import { findForbiddenSort } from "./endpoint-address.ts";
import { HEADLESS } from "./endpoint-slice.ts";
import {
  isLabel,
  list,
  listed,
  optionalLabel,
  optionalSubdomain,
  port,
  protocol,
  protocolOf,
  subdomain,
} from "./grammar.ts";
import { hasText, namespaced, namespaceOf, textOf } from "./metadata.ts";
import { type MirroredAddress, mirrorSubsets } from "./mirrored-slices.ts";
import type { Endpoints } from "./objects.ts";
import { printPod, targetRef } from "./pod-reference.ts";
import { quote } from "./quote.ts";
import type { Reading } from "./reading.ts";

const SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror";
const LEADER = "control-plane.alpha.kubernetes.io/leader";

// Texts from Kubernetes' first years write `IP`.
const address = z.object({
  ip: z.string().nullish(),
  IP: z.string().nullish(),
  nodeName: optionalSubdomain,
  targetRef,
});

const subset = z.object({
  addresses: list(address),
  notReadyAddresses: list(address),
  ports: list(z.object({ name: optionalLabel, protocol, port })),
});

const schema = z.object({
  metadata: namespaced(subdomain),
  subsets: list(subset),
});

type RawEndpoints = z.infer<typeof schema>;
type RawAddress = z.infer<typeof address>;

/**
 * Reads an Endpoints object as the slices a control plane mirrors it into. Objects that are marked as not to be
 * mirrored, or that carry the lock of a leader election, are passed over; unusable addresses are dropped one by one.
 */
export function readEndpoints(raw: unknown, place: Place): Reading<Endpoints> {
  return readObject(raw, place, { kind: "Endpoints", schema, project });
}

function project({ metadata, subsets }: RawEndpoints, complaints: Complaints): Endpoints | NotUsed {
  const { name, labels, annotations } = metadata;
  const namespace = namespaceOf(metadata);
  if (textOf(labels, SKIP_MIRROR) === "true") return { kind: "not used", reason: `its label ${SKIP_MIRROR} is true` };
  if (hasText(annotations, LEADER))
    return {
      kind: "not used",
      reason: `its annotation ${LEADER} makes it a lock`,
    };
  if (!isLabel(name)) return { kind: "not used", reason: "no Service can have its name" };
  const readList = (key: "addresses" | "notReadyAddresses", subset: number) => {
    const ready = key === "addresses";
    const read = (raw: RawAddress, index: number) =>
      readAddress(raw, { namespace, ready, field: `subsets[${subset}].${key}[${index}].ip` }, complaints);
    return listed(listed(subsets)[subset]?.[key]).flatMap(read);
  };
  const read = listed(subsets).map(({ ports }, index) => {
    return {
      ports: listed(ports).map(({ name, protocol, port }) => ({
        name: name ?? "",
        protocol: protocolOf(protocol),
        port,
      })),
      addresses: [...readList("addresses", index), ...readList("notReadyAddresses", index)],
    };
  });
  const { slices, dropped } = mirrorSubsets({ namespace, name, headless: hasText(labels, HEADLESS) }, read);
  if (dropped > 0) complaints.drop("subsets", `have more than 1000 addresses for the same ports: ${dropped} left out`);
  return { kind: "Endpoints", namespace, name, slices };
}

interface AddressPlace {
  readonly namespace: string;
  readonly ready: boolean;
  readonly field: string;
}

function readAddress(
  raw: RawAddress,
  { namespace, ready, field }: AddressPlace,
  { drop }: Complaints,
): MirroredAddress[] {
  const written = raw.ip ?? raw.IP ?? "";
  const parsed = parseAddress(written);
  const sort = parsed && findForbiddenSort(parsed.text);
  if (!parsed) drop(field, `must be an IP address, not ${quote(written)}`);
  else if (sort !== undefined) drop(field, `is ${sort}, which no endpoint can be: ${quote(written)}`);
  else
    return [
      {
        ...parsed,
        ready,
        nodeName: raw.nodeName ?? "",
        pod: printPod(raw.targetRef, namespace),
      },
    ];
  return [];
}
