// Finds what a previous proxy mode or layout left on a node, and names the command that removes it.
import type { Family } from "../../net/family.ts";
import { isIpvsMode, type KernelState } from "../../state/kernel-state.ts";
import { isOurChain } from "../../state/ownership.ts";
import { firstUse, isIndexedChain, isIndexedSet, type OwnNames, useOfIndexed } from "./indexed.ts";

/** Chains, sets, interfaces or tables of a mode or layout other than the desired one. */
export interface Leftover {
  readonly family: Family;
  readonly of: "layout Indexed" | "mode ipvs" | "mode nftables";
  /** Packets to Services still come to it. */
  readonly inUse: boolean;
  /** As an operator calls them: `chain nat KUBE-IX-SVC-…`, `ipset KUBE-IX-LOOP-BACK`. */
  readonly objects: readonly string[];
  /** What removes them. */
  readonly remedy: string;
}

/** What the observed state has of the Indexed layout and of IPVS mode, unless the desired state is of these. */
export function leftoversIn(actual: KernelState, desired: KernelState): readonly Leftover[] {
  const indexed = desired.ipvs === undefined || isIpvsMode(desired) ? leftOfIndexed(actual) : undefined;
  const ipvs = isIpvsMode(desired) ? undefined : leftOfIpvs(actual);
  return [indexed, ipvs].filter((each) => each !== undefined);
}

function leftOfIndexed(actual: KernelState): Leftover | undefined {
  const objects = [...chainsIn(actual, isIndexedChain), ...setsIn(actual, isIndexedSet)];
  if (objects.length === 0) return undefined;
  const inUse = useOfIndexed(actual) !== undefined;
  const command = "fairlead cleanup --layout Indexed";
  const remedy = inUse
    ? `start the proxy in the new mode or layout and wait for its first sync, then run "${command}"`
    : `run "${command}"`;
  return { family: actual.family, of: "layout Indexed", inUse, objects, remedy };
}

/** Of kube-proxy and of this program. */
const IPVS: OwnNames = {
  isChain: (name) => /^KUBE-(?:NODE-PORT|LOAD-BALANCER|SOURCE-RANGES-FIREWALL|IPVS-(?:OUT-)?FILTER)$/.test(name),
  isSet: (name) => name.startsWith("KUBE-") && !isIndexedSet(name),
};

function leftOfIpvs(actual: KernelState): Leftover | undefined {
  const devices = actual.ipvs?.kind === "observed" ? actual.ipvs.devices : [];
  const objects = [
    ...chainsIn(actual, IPVS.isChain),
    ...setsIn(actual, IPVS.isSet),
    ...devices.map((name) => `interface ${name}`),
  ];
  if (objects.length === 0) return undefined;
  const inUse = firstUse(actual, IPVS) !== undefined;
  const remedy = 'start "fairlead run" in the new mode, or run "fairlead cleanup" and restart kube-proxy';
  return { family: actual.family, of: "mode ipvs", inUse, objects, remedy };
}

/** The table of kube-proxy's nftables mode: its rules still translate packets to Services. */
export function leftNftablesTable(family: Family, table: string): Leftover {
  const name = `${family === "IPv4" ? "ip" : "ip6"} ${table}`;
  const remedy = `run "nft delete table ${name}"`;
  return { family, of: "mode nftables", inUse: true, objects: [`nftables table ${name}`], remedy };
}

function chainsIn({ tables }: KernelState, isLeft: (name: string) => boolean): readonly string[] {
  return [...tables].flatMap(([table, chains]) =>
    [...chains.keys()]
      .filter((name) => isLeft(name) && isOurChain(table, name))
      .map((name) => `chain ${table} ${name}`),
  );
}

function setsIn({ ipvs }: KernelState, isLeft: (name: string) => boolean): readonly string[] {
  if (ipvs?.kind !== "observed") return [];
  return [...ipvs.sets, ...(ipvs.otherSets ?? [])]
    .map(({ name }) => name)
    .filter(isLeft)
    .map((name) => `ipset ${name}`);
}

/** Objects that a note names. */
const MOST = 3;

/** For example `IPv4: left of layout Indexed: chain nat KUBE-IX-S-10.0.0.0-8, ipset KUBE-IX-LOOP-BACK; run "…"`. */
export function printLeftover({ family, of, inUse, objects, remedy }: Leftover): string {
  const more = objects.length > MOST ? [`and ${objects.length - MOST} more`] : [];
  const names = [...objects.slice(0, MOST), ...more].join(", ");
  return `${family}: ${inUse ? `${of} is in use` : `left of ${of}`}: ${names}; ${remedy}`;
}
