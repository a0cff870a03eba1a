// Which feature gates are on?
import { IDLE_GATES } from "./feature-gate-names.ts";

interface Gate {
  readonly stage: "alpha" | "beta" | "stable";
  readonly on: boolean;
  readonly locked?: true;
}

// As they stand in Kubernetes 1.36. The libraries below kube-proxy bring gates of their own.
const GATES = {
  AllowServiceExternalIPs: { stage: "stable", on: true },
  ComponentFlagz: { stage: "beta", on: true },
  ComponentStatusz: { stage: "beta", on: true },
  ContextualLogging: { stage: "beta", on: true },
  LoggingAlphaOptions: { stage: "alpha", on: false },
  LoggingBetaOptions: { stage: "beta", on: true },
  MultiCIDRServiceAllocator: { stage: "stable", on: true, locked: true },
  NFTablesProxyMode: { stage: "stable", on: true, locked: true },
  NativeHistograms: { stage: "alpha", on: false },
  PreferSameTrafficDistribution: { stage: "stable", on: true, locked: true },
} as const satisfies Record<string, Gate>;

/** A gate that changes what the node proxy does. */
export type GateName = keyof typeof GATES;

/** Gates as they were given. */
export type GivenGates = Readonly<Record<string, boolean>>;

/** How a gate stands. */
export interface GateState {
  readonly name: string;
  readonly stage: Gate["stage"];
  readonly on: boolean;
}

const KNOWN: ReadonlyMap<string, Gate> = new Map(Object.entries(GATES));

// Switch whole groups; a gate that is given itself does not follow its group.
const GROUPS: ReadonlyMap<string, Gate["stage"]> = new Map([
  ["AllAlpha", "alpha"],
  ["AllBeta", "beta"],
]);

/** What kube-proxy says of gates that cannot be set so: the first by name that is unknown or locked. */
export function gateProblem(given: GivenGates): string | undefined {
  for (const [name, value] of Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const gate = KNOWN.get(name);
    if (gate === undefined && !GROUPS.has(name) && !IDLE_GATES.has(name)) return `unrecognized feature gate: ${name}`;
    if (gate?.locked && value !== gate.on) {
      return `cannot set feature gate ${name} to ${value}, feature is locked to ${gate.on}`;
    }
  }
  return undefined;
}

/** Is the gate on? */
export function gateEnabled(given: GivenGates, name: GateName): boolean {
  return isOn(given, name, GATES[name]);
}

/** Every gate that means something here, and the groups, by name. */
export function gateStates(given: GivenGates): readonly GateState[] {
  const gates = [...KNOWN].map(([name, gate]) => ({ name, stage: gate.stage, on: isOn(given, name, gate) }));
  const groups = [...GROUPS].map(([name, stage]) => ({ name, stage, on: given[name] ?? false }));
  return [...gates, ...groups].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isOn(given: GivenGates, name: string, { stage, on }: Gate): boolean {
  const group = [...GROUPS].find(([, each]) => each === stage)?.[0];
  return given[name] ?? (group === undefined ? undefined : given[group]) ?? on;
}
