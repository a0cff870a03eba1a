// Does a large cluster change the layout of its rules piece by piece without a moment in which a Service is not served?
import "../support/enter-sandbox.ts";

import t from "tap";
import type { Service, ServiceRecord } from "../../src/api/objects.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { worldOf } from "../../src/model/world.ts";
import { pass } from "../../src/sync/pass.ts";
import {
  buildEndpoint,
  buildFacts,
  buildOptions,
  buildRecord,
  buildService,
  buildSlice,
  buildSnapshot,
} from "../support/build.ts";
import { ipsetSkipReason } from "../support/ipset-tool.ts";
import { variantSkip } from "../support/iptables-variant.ts";
import { makeLiveNode } from "../support/live-node.ts";
import { commandHere } from "../support/namespace-command.ts";
import { ownNetns } from "../support/netns.ts";
import { longMessageSkip } from "../support/sandbox.ts";
import type { At } from "../support/talker.ts";
import { BACKEND, INDEXED_BACKEND } from "../support/templates.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(300_000);

const variant = "nft";
const skip = ipsetSkipReason() || variantSkip(variant) || longMessageSkip();

/** So many that in either layout their rules do not go into one restore. */
const SERVICES = 2600;

const WEB: Partial<Service> = { name: "web", clusterIP: "10.96.64.1" };

const STREAMS: readonly (readonly [from: "node" | "caller" | "outside", at: At])[] = [
  ["caller", { address: "10.96.64.1", port: 80 }],
  ["node", { address: "10.96.64.1", port: 80 }],
  ["outside", { address: "192.0.2.10", port: 31_080 }],
  // The first that is written, and the last.
  ["caller", { address: "10.96.0.1", port: 80 }],
  ["caller", { address: `10.96.${(SERVICES - 1) >> 8}.${(SERVICES - 1) & 255}`, port: 80 }],
];

function records(): readonly ServiceRecord[] {
  const web = buildService({
    ...WEB,
    type: "NodePort",
    ports: [{ name: "http", protocol: "TCP", port: 80, nodePort: 31_080 }],
  });
  return [recordOf(web), ...Array.from({ length: SERVICES - 1 }, (_, at) => recordOf(buildService(numbered(at + 1))))];
}

function numbered(number: number): Partial<Service> {
  return { name: `s${String(number).padStart(5, "0")}`, clusterIP: `10.96.${number >> 8}.${number & 255}` };
}

function recordOf(service: Service): ServiceRecord {
  const endpoints = ["10.71.1.5", "10.71.1.6", "10.71.1.7"].map((address) => buildEndpoint(address));
  return buildRecord(service, buildSlice(endpoints, { service: service.name, name: `${service.name}-1` }));
}

t.test(`${SERVICES} Services`, { skip }, async (t) => {
  const kernel = machine(commandHere(variant));
  const snapshot = buildSnapshot(records());
  const options = buildOptions({ clusterCIDRs: ["10.71.0.0/16"] });
  const world = worldOf({ snapshot, nodeName: "n1", options, facts: buildFacts({ addresses: [] }), family: "IPv4" });
  const layouts = { Compat: BACKEND, Indexed: INDEXED_BACKEND };
  const { talkers } = await makeLiveNode(t, ownNetns);
  await change("Compat");
  for (const [index, [from, at]] of STREAMS.entries()) {
    t.match(await talkers[from].open(`held ${index}`, at), /^10\.71\.1\./);
    await talkers[from].begin(`${index}`, at);
  }
  await change("Indexed");
  await change("Compat");
  for (const [index, [from, { address, port }]] of STREAMS.entries()) {
    const { count, failures } = await talkers[from].end(`${index}`);
    t.ok(count > 20, `${count} connections from ${from} to ${address} ${port}`);
    t.strictSame(failures, [], "each of them went well");
    t.match(await talkers[from].talk(`held ${index}`), /^10\.71\.1\./, "and so did the one that lasts");
  }

  async function change(layout: keyof typeof layouts): Promise<void> {
    const backend = layouts[layout];
    const { plan, applied } = await pass({ kernel, backend, variant }, backend.desired(world));
    const pieces = plan.steps.filter(({ kind }) => kind === "iptables").length;
    t.ok(pieces > 2, `to ${layout} in ${pieces} pieces`);
    t.notOk(applied.refused, applied.refused?.error.message ?? "accepted");
    t.strictSame(
      (await pass({ kernel, backend, variant }, backend.desired(world))).plan.steps,
      [],
      "then nothing to do",
    );
  }
});
