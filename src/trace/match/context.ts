// Defines what is known about a packet at a hook: interfaces, connection and local addresses.

import type { TableName } from "../../state/kernel-state.ts";
import type { Locality } from "../local-addresses.ts";
import type { HostAddress, Interface, Packet } from "../packet.ts";
import type { Field } from "../ruleset.ts";

export const HOOKS = ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"] as const;

export type Hook = (typeof HOOKS)[number];

export interface Situation {
  readonly field: Field;
  readonly locality: Locality;
  /** As it set out. */
  readonly packet: Packet;
  /** Where it set out from, as a state has it. */
  readonly source: HostAddress | undefined;
  readonly hook: Hook;
  readonly table: TableName;
  readonly inInterface: Interface;
  readonly outInterface: Interface;
  /**
   * What the kernel knows of the connection: nothing before it is looked up, behind the raw table; that it is new; and,
   * when the packet comes back in by loopback, that it was sent.
   */
  readonly connection: "none" | "new" | "confirmed";
}
