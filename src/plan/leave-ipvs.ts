// What do other modes leave on a node beside rules, line by line?

import { printAddresses } from "../state/address-text.ts";
import { printHeader } from "../state/ipset-text.ts";
import { serverKey } from "../state/ipvs-claims.ts";
import { printServers } from "../state/ipvsadm-text.ts";
import { type IpvsState, isIpvsMode, type KernelState } from "../state/kernel-state.ts";
import { IPVS_DEVICE } from "../state/node-facts.ts";
import type { Difference, Edit } from "./difference.ts";
import { lastSteps, planRetreat } from "./ipvs-retreat.ts";
import type { IpvsStep } from "./plan.ts";

type Observed = Extract<IpvsState, { kind: "observed" }>;

/** All that goes; no connection is waited for. Where IPVS mode is wanted, sets of others; nothing where nobody looked. */
export function leavingSteps(wanted: KernelState, { ipvs }: KernelState): readonly IpvsStep[] {
  if (ipvs?.kind !== "observed") return [];
  const wantedSets = new Set(wanted.ipvs?.sets.map(({ name }) => name));
  const found = { ...ipvs, sets: ipvs.sets.filter(({ name }) => !wantedSets.has(name)) };
  if (isIpvsMode(wanted)) return lastSteps({ ...found, devices: [] }, IPVS_DEVICE);
  return [...planRetreat(ipvs, IPVS_DEVICE, "all").steps, ...lastSteps(found, IPVS_DEVICE)];
}

/** The same, as the lines that go. */
export function leavingDifferences(wanted: KernelState, actual: KernelState): readonly Difference[] {
  const found = actual.ipvs;
  if (found?.kind !== "observed") return [];
  const steps = leavingSteps(wanted, actual);
  const device = steps.flatMap(deviceLines);
  return [
    ...serversIn(steps, found).map(
      (each) => ({ kind: "server", name: serverKey(each), lines: printServers([each]) }) as const,
    ),
    ...setsIn(steps, found).map((each) => ({ kind: "set", name: each.name, lines: [printHeader(each)] }) as const),
    ...(device.length > 0 ? [{ kind: "device", name: IPVS_DEVICE, lines: device } as const] : []),
  ].map(({ lines, ...place }) => {
    const edits = lines.map((text): Edit => ({ kind: "goes", text }));
    return { family: wanted.family, place, change: "gone", edits };
  });
}

function serversIn(steps: readonly IpvsStep[], { servers }: Observed): Observed["servers"] {
  const changes = steps.flatMap((step) => (step.kind === "servers" ? step.changes : []));
  const keys = new Set(changes.map(({ server }) => serverKey(server)));
  return servers.filter((server) => keys.has(serverKey(server)));
}

function setsIn(steps: readonly IpvsStep[], { sets }: Observed): Observed["sets"] {
  const changes = steps.flatMap((step) => (step.kind === "sets" ? step.changes : []));
  const names = new Set(changes.flatMap((change) => (change.kind === "destroy" ? [change.name] : [])));
  return sets.filter(({ name }) => names.has(name));
}

function deviceLines(step: IpvsStep): readonly string[] {
  if (step.kind === "unbind") return printAddresses([], step.addresses);
  return step.kind === "remove-device" ? printAddresses([step.name], []) : [];
}
