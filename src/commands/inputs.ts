// Reads the inputs of commands that work on manifests or a live cluster, and computes the rules of one node from them.
import { hostname } from "node:os";
import type { KubernetesObject, Node, Snapshot } from "../api/objects.ts";
import type { Backend } from "../backends/backend.ts";
import { InputError } from "../errors.ts";
import { nodeIPsOf } from "../model/node-ips.ts";
import { worldOf } from "../model/world.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import { nodeNameOf } from "../options/complete.ts";
import type { GivenFacts } from "../options/node-facts.ts";
import type { Options } from "../options/options.ts";
import { Tracker } from "../source/tracker.ts";
import type { KernelState } from "../state/kernel-state.ts";
import type { NodeFacts } from "../state/node-facts.ts";
import { type ObjectsChoice, readObjects, requireServices } from "./input-objects.ts";
import type { Output } from "./output.ts";

export interface InputFlags extends ObjectsChoice {
  /** As which node; undefined: of a live cluster the one that is called as this host, else the only one there is. */
  readonly node?: string | undefined;
  readonly nodeIPs: readonly string[];
  readonly families: readonly Family[];
  readonly facts: GivenFacts;
  readonly options: Options;
  /** Report each skipped document with the reason. */
  readonly verbose: boolean;
  /** An input without Services is intended. */
  readonly allowEmpty: boolean;
  /** Print what could be read although some input could not. */
  readonly keepGoing: boolean;
}

/** Inputs, read. */
export interface Inputs {
  readonly problems: readonly InputError[];
  /** What a reader should know about how the inputs were taken. */
  readonly notes: readonly string[];
  /** Why each skipped document was skipped. */
  readonly passedOver: readonly string[];
  readonly objects: readonly KubernetesObject[];
  /** What was read, for messages. */
  readonly found: string;
  /** What this node's kernel should hold; undefined for a family that is not asked for or not usable. */
  wanted(family: Family): KernelState | undefined;
}

/**
 * Reads all inputs once. Bad ones are among the problems; nothing is thrown for them. Rejects with InputError for a live
 * cluster that cannot be read.
 */
export async function openInputs(flags: InputFlags, backend: Backend): Promise<Inputs> {
  const { objects, problems, passedOver, notes: told, found } = await readObjects(flags);
  flags.progress.show(() => `putting ${objects.length} objects together`);
  const snapshot = Tracker.snapshotOf(objects);
  const { nodeName, notes } = chooseNode(snapshot, flags);
  const node = withGivenIPs(snapshot.nodes.get(nodeName), nodeName, flags.nodeIPs);
  const facts = factsOf(flags, node);
  const wanted = (family: Family) => {
    if (!flags.families.includes(family) || !facts.families.includes(family)) return undefined;
    flags.progress.show(() => `working out what ${family} needs`);
    return backend.desired(worldOf({ snapshot, nodeName, node, options: flags.options, facts, family }));
  };
  const passed = passedOver.map(({ place, reason }) => new InputError(place, reason).message);
  return { problems, notes: [...told, ...notes], passedOver: passed, objects, found, wanted };
}

/**
 * Reports problems and notes about the inputs. Throws InputError where there is no Service to look at, unless that is
 * intended; and, where the result is fit to be applied, for any problem: it would remove what could not be read.
 */
export function reportInputs(
  inputs: Pick<Inputs, "problems" | "notes" | "passedOver" | "objects" | "found">,
  { verbose, allowEmpty, keepGoing }: Pick<InputFlags, "verbose" | "allowEmpty" | "keepGoing">,
  { output, isApplied }: { readonly output: Output; readonly isApplied: boolean },
): void {
  for (const note of inputs.notes) output.note(note);
  if (verbose) for (const passed of inputs.passedOver) output.note(passed);
  for (const problem of inputs.problems) output.note(`error: ${problem.message}`);
  if (isApplied && inputs.problems.length > 0 && !keepGoing) {
    throw new InputError({}, "nothing is printed, because some input could not be read; --keep-going prints the rest");
  }
  requireServices(inputs, allowEmpty);
}

/** Which node is asked for, in words or by being here; undefined: none. */
export function askedNode({ node, cluster, options }: InputFlags): string | undefined {
  return node ?? (cluster && nodeNameOf(options.hostnameOverride, hostname()));
}

export function chooseNode({ nodes }: Snapshot, flags: InputFlags) {
  const asked = askedNode(flags);
  if (asked !== undefined) {
    const known = nodes.has(asked) || nodes.size === 0;
    const hint = flags.node === undefined ? ": say --node" : "";
    return { nodeName: asked, notes: known ? [] : [`note: there is no Node ${asked} among the inputs${hint}`] };
  }
  const [only] = nodes.keys();
  if (only !== undefined && nodes.size === 1) return { nodeName: only, notes: [] };
  return { nodeName: "", notes: ["note: no --node, so no endpoint is local and no zone is known"] };
}

export function withGivenIPs(node: Node | undefined, name: string, ips: readonly string[]): Node {
  const known: Node = node ?? {
    kind: "Node",
    name,
    zone: "",
    addresses: [],
    podCIDRs: [],
    deleting: false,
    toBeDeleted: false,
  };
  return ips.length === 0 ? known : { ...known, addresses: ips };
}

/** What is not given is the same on every machine, so that the same input gives the same output everywhere. */
export function factsOf({ facts, options }: InputFlags, node: Node): NodeFacts {
  const { ips } = nodeIPsOf(node.addresses, options.bindAddress);
  const addresses = FAMILIES.map((family) => ({ interface: "", address: ips[family] }));
  return {
    addresses: facts.addresses ?? addresses,
    iptablesVersion: facts.iptablesVersion ?? "1.8.9",
    iptablesVariant: facts.iptablesVariant ?? "nft",
    kernelVersion: facts.kernelVersion ?? "6.1",
    cpus: facts.cpus ?? 1,
    counters: facts.counters ?? { invalidDropped: false, localhostNodePorts: false },
    tcpBeLiberal: facts.tcpBeLiberal ?? false,
    families: facts.families ?? FAMILIES,
  };
}
