// (placeholder for the owner of this room: see the types below)
import type { Family } from "../net/family.ts";
import type { ServiceTraffic } from "./traffic.ts";

/** How traffic that comes from this cluster's pods is told from other traffic (`control.md` calls it detect-local). */
export type LocalTraffic =
  | { readonly kind: "cidr"; readonly cidr: string }
  /** `interface` is an iptables interface match: a name, or a prefix and `+`. */
  | { readonly kind: "interface"; readonly interface: string };

/** What configuration and node decide for every Service alike. The same object while nothing in it changed. */
export interface Settings {
  readonly family: Family;
  /** 0 to 31. */
  readonly masqueradeBit: number;
  readonly masqueradeAll: boolean;
  readonly localTraffic?: LocalTraffic;
  /** The node's own address of this family; loopback when unknown. */
  readonly nodeIP: string;
  readonly localhostNodePorts: boolean;
  readonly counters: { readonly invalidDropped: boolean; readonly localhostNodePorts: boolean };
  /** Drop packets in conntrack state INVALID. */
  readonly dropInvalid: boolean;
  /** MASQUERADE picks its source port at random. */
  readonly randomFully: boolean;
  /** Rules that pick an endpoint, and those inside its chain, carry a comment (false beyond 1000 endpoints). */
  readonly endpointComments: boolean;
}

/** All that a backend may look at, of one family. */
export interface World {
  readonly settings: Settings;
  /** Node addresses that answer on nodePorts, sorted. */
  readonly nodePortAddresses: "all" | readonly string[];
  /** Sorted by namespace, name, port name, protocol. What did not change is the same object as in the previous World. */
  readonly services: readonly ServiceTraffic[];
}
