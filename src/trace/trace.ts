// Defines the result of a trace: the steps of a packet and its outcomes.

import type { Rule, TableName } from "../state/kernel-state.ts";
import type { ServerIdentity } from "../state/virtual-server.ts";
import type { Hook } from "./match/context.ts";
import type { Packet } from "./packet.ts";
import type { Fraction } from "./probability.ts";

/** The position of a rule. */
export interface RuleLocation {
  readonly hook: Hook;
  readonly table: TableName;
  readonly chain: string;
  readonly rule: Rule;
  /** From 1, in its chain. */
  readonly number: number;
}

/** A rule or virtual server that the packet matched, and its effect. */
export interface Step {
  readonly at: RuleLocation | ServerLocation;
  /** The effect in words: `destination becomes 10.244.1.7:8080`. */
  readonly what: string;
  /** The probability that the packet takes this step. */
  readonly probability: Fraction;
  /** The previous steps; several where branches were merged. */
  readonly previous: readonly Step[];
}

/** A virtual server, which IPVS evaluates between the tables of a hook. */
export interface ServerLocation {
  readonly hook: Hook;
  readonly server: ServerIdentity;
}

interface HostPort {
  readonly address: string;
  /** Absent for a protocol without ports. */
  readonly port?: number;
}

export type Verdict =
  | Delivery
  | { readonly kind: "dropped"; readonly by: RuleLocation }
  /** Dropped by the policy of a built-in chain. */
  | { readonly kind: "policy"; readonly hook: Hook; readonly table: TableName }
  /** The sender receives this error: `icmp-port-unreachable`, `tcp-reset`. */
  | { readonly kind: "rejected"; readonly by: RuleLocation; readonly answer: string }
  /**
   * A virtual server has, or chose, no real server that accepts connections: the sender receives `icmp-port-
   * unreachable`.
   */
  | { readonly kind: "refused"; readonly by: ServerLocation }
  /** A rule cannot be evaluated, or a part of the kernel state is missing; `remedy` is what would supply it. */
  | {
      readonly kind: "unknown";
      readonly by?: RuleLocation | ServerLocation;
      readonly reason: string;
      readonly remedy?: string;
    };

/** The packet reaches a process of the node, or leaves the node. */
export interface Delivery {
  readonly kind: "delivered";
  readonly where: "node" | "network";
  readonly to: HostPort;
  /** The source that the receiver sees; undefined: an address of the node that its routes choose. */
  readonly source: string | undefined;
  /** The rule or virtual server that translated the destination; absent if it is unchanged. */
  readonly translatedBy?: RuleLocation | ServerLocation;
  /** The rules that caused masquerading; empty if the source is unchanged. */
  readonly masqueradedBy: readonly RuleLocation[];
  /** Notes about the path of replies. */
  readonly notes: readonly string[];
}

export interface Outcome {
  readonly verdict: Verdict;
  readonly probability: Fraction;
  /** The choice is not random, for example least connections: `probability` is then a placeholder. */
  readonly possible: boolean;
  /** The last steps of the paths to this outcome. */
  readonly lastSteps: readonly Step[];
}

export interface Trace {
  readonly packet: Packet;
  /** In the order of hooks, tables and chains; rules that do not match are left out. */
  readonly steps: readonly Step[];
  /** Their probabilities add up to 1. */
  readonly outcomes: readonly Outcome[];
}

/** One path to a step, in order. */
export function stepsTo(last: Step | undefined): readonly Step[] {
  const way: Step[] = [];
  for (let step = last; step !== undefined; step = step.previous[0]) way.push(step);
  return way.reverse();
}
