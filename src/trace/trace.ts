// Defines the result of a trace: the steps of a packet and its outcomes.

import type { Rule, TableName } from "../state/kernel-state.ts";
import type { ServerIdentity } from "../state/virtual-server.ts";
import type { Hook } from "./match/context.ts";
import type { Packet } from "./packet.ts";
import type { Fraction } from "./probability.ts";

/** Where a rule stands. */
export interface RulePlace {
  readonly hook: Hook;
  readonly table: TableName;
  readonly chain: string;
  readonly rule: Rule;
  /** From 1, in its chain. */
  readonly number: number;
}

/** Something that the packet met and that did something with it. */
export interface Step {
  readonly at: RulePlace | ServerPlace;
  /** What it did, in words: `destination becomes 10.244.1.7:8080`. */
  readonly what: string;
  /** Of all packets like the traced one, how many come here and have this done to them. */
  readonly share: Fraction;
  /** The steps before: more than one where ways that had parted are one again. */
  readonly before: readonly Step[];
}

/** IPVS is met between the rules of a hook. */
export interface ServerPlace {
  readonly hook: Hook;
  readonly server: ServerIdentity;
}

interface HostPort {
  readonly address: string;
  /** Absent for a protocol without ports. */
  readonly port?: number;
}

export type Outcome =
  | Delivery
  | { readonly kind: "dropped"; readonly by: RulePlace }
  /** Left at the end of a built-in chain. */
  | { readonly kind: "policy"; readonly hook: Hook; readonly table: TableName }
  /** The sender is told by this answer: `icmp-port-unreachable`, `tcp-reset`. */
  | { readonly kind: "rejected"; readonly by: RulePlace; readonly answer: string }
  /** A virtual server has, or chose, no real server that takes connections: the sender is told `icmp-port-unreachable`. */
  | { readonly kind: "refused"; readonly by: ServerPlace }
  /** A rule cannot be evaluated, or a part of the kernel state is missing; `remedy` is what would supply it. */
  | {
      readonly kind: "unknown";
      readonly by?: RulePlace | ServerPlace;
      readonly reason: string;
      readonly remedy?: string;
    };

/** It goes to a process of the node, or leaves the node for somebody else. */
export interface Delivery {
  readonly kind: "delivered";
  readonly where: "node" | "network";
  readonly to: HostPort;
  /** As the receiver sees it; undefined: the address of the node on the way there. */
  readonly source: string | undefined;
  /** The rule, or the virtual server, that put this destination in; absent: it is the one that was sent to. */
  readonly translatedBy?: RulePlace | ServerPlace;
  /** The rules because of which the source is another one; none: it is the sender's own. */
  readonly masqueradedBy: readonly RulePlace[];
  /** How answers come back, and what else one should know. */
  readonly notes: readonly string[];
}

export interface End {
  readonly outcome: Outcome;
  readonly share: Fraction;
  /** Something other than chance decides, such as which server has least to do: then `share` is only a place holder. */
  readonly possible: boolean;
  /** The last steps of the ways that lead here. */
  readonly last: readonly Step[];
}

export interface Trace {
  readonly packet: Packet;
  /** In the order of hooks, tables and chains; rules that the packet is not for are left out. */
  readonly steps: readonly Step[];
  /** Their shares add up to 1. */
  readonly ends: readonly End[];
}

/** One way to a step or an end, in order. */
export function wayTo(last: Step | undefined): readonly Step[] {
  const way: Step[] = [];
  for (let step = last; step !== undefined; step = step.before[0]) way.push(step);
  return way.reverse();
}
