// How does a cluster change, step by step, in a random walk?
import fc from "fast-check";
import type { Service, ServiceRecord, Snapshot } from "../../src/api/objects.ts";
import { compareServices } from "../../src/api/service-name.ts";
import { services, slices } from "./arbitrary-clusters.ts";
import { buildEndpoint, buildNode, buildRecord, buildRecords, buildSlice, buildSnapshot } from "./build.ts";

/** The host `10.1.0.6`, which no other endpoint has: rules for it may be refused. */
export const POISON = "10.1.0.6:";

const POISONED = buildSlice([buildEndpoint("10.1.0.6"), buildEndpoint("10.1.0.1")], { name: "s-poison" });

/** One thing that the API server tells of. */
export type ClusterEvent =
  | { readonly kind: "service"; readonly service: Service }
  | { readonly kind: "slices"; readonly at: number; readonly slices: ServiceRecord["slices"] }
  | { readonly kind: "poison"; readonly at: number }
  | { readonly kind: "remove"; readonly at: number }
  | { readonly kind: "zone"; readonly zone: string };

/** Both ports of the Services, so that more than one of its fragments changes at once. */
const PORTS = [
  { name: "http", protocol: "TCP", port: 8080 },
  { name: "dns", protocol: "UDP", port: 5353 },
] as const;

const at = fc.nat({ max: 7 });

const ownSlices = fc
  .uniqueArray(slices, { selector: ({ name }) => name, maxLength: 3 })
  .map((own) => own.map((slice, index) => (index === 0 ? { ...slice, ports: PORTS } : slice)));

export const clusterEvents: fc.Arbitrary<ClusterEvent> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("service" as const), service: services }) },
  { weight: 9, arbitrary: fc.record({ kind: fc.constant("slices" as const), at, slices: ownSlices }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("poison" as const), at }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("zone" as const), zone: fc.constantFrom("z1", "z2", "") }) },
);

/** The cluster after an event; all that the event is not about stays the same object. */
export function afterEvent({ services: records, nodes, pods }: Snapshot, event: ClusterEvent): Snapshot {
  if (event.kind === "zone")
    return { services: records, nodes: new Map([["n1", buildNode({ zone: event.zone })]]), pods };
  return { services: changed(records, event), nodes, pods };
}

export const EMPTY: Snapshot = buildSnapshot([]);

type Records = Snapshot["services"];

function changed(records: Records, event: Exclude<ClusterEvent, { kind: "zone" }>): Records {
  if (event.kind === "service") {
    const known = [...records].find(({ service }) => compareServices(service, event.service) === 0);
    return buildRecords([...records, buildRecord(event.service, ...(known?.slices ?? []))]);
  }
  const record = [...records][event.at % Math.max(1, records.length)];
  if (record === undefined) return records;
  if (event.kind === "remove") return buildRecords([...records].filter((other) => other !== record));
  const own =
    event.kind === "poison" ? [...record.slices.filter(({ name }) => name !== "s-poison"), POISONED] : event.slices;
  return buildRecords([...records, { ...record, slices: own }]);
}
