// Defines what is known about a packet at a hook: interfaces, connection and local addresses.

import type { TableName } from "../../state/kernel-state.ts";
import type { LocalAddresses } from "../local-addresses.ts";
import type { HostAddress, Interface, Packet } from "../packet.ts";
import type { Ruleset } from "../ruleset.ts";

export const HOOKS = ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"] as const;

export type Hook = (typeof HOOKS)[number];

export interface HookContext {
  readonly ruleset: Ruleset;
  readonly localAddresses: LocalAddresses;
  /** The original packet. */
  readonly packet: Packet;
  /** The original source. */
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
