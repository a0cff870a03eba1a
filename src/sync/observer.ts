// What the sync loops report to metrics, health answers and health-check node ports.
import type { Family } from "../net/family.ts";

/** A count for each table that we write to. */
export interface ByTable {
  readonly filter: number;
  readonly nat: number;
}

/** A ServicePort whose rules the kernel rejected: quarantined until it changes or is retried. */
export interface SetAsideService {
  /** Printed name and protocol. */
  readonly servicePort: string;
  /** The kernel's words. */
  readonly reason: string;
  /** In IPVS mode: the single virtual server, real server, ipset entry or address that was rejected. */
  readonly item?: string;
  /** The ServicePort is served without the item: it is a real server or an ipset entry. */
  readonly partial?: true;
}

/** Why a pass did not bring the kernel to what is wanted. */
export interface PassFailure {
  /** Kind of the step that was refused, or `observe`. */
  readonly step: string;
  readonly code: string;
  readonly words: string;
}

/** What a load balancer wants to know of a Service with a health-check nodePort. */
export interface ServiceHealth {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** Distinct addresses of ready endpoints on this node, over all ports of the Service. */
  readonly localEndpoints: number;
}

/** How one pass went. Times are milliseconds. */
export interface PassReport {
  readonly elapsed: number;
  /** `full`: the kernel was looked at and compared whole; `partial`: only what changed since the last pass. */
  readonly scope: "full" | "partial";
  /** Absent where the kernel holds all that is wanted, but for what is set aside. */
  readonly failure?: PassFailure;
  /** Restores that were refused on the way; looking for a culprit takes several. */
  readonly refusedRestores: number;
  readonly steps: number;
  /** Rules sent. */
  readonly sent: ByTable;
  /** Rules owned after the pass; counted when called, milliseconds at thousands of Services. */
  readonly owned: () => ByTable;
  /** Lines that somebody else had changed and that were put right. */
  readonly driftedLines: number;
  /** Reasons by name of the tables that could not be read: their rules were written without comparing. Absent: none. */
  readonly unreadableTables?: Readonly<Record<string, string>>;
  readonly setAside: readonly SetAsideService[];
  /** ServicePorts with a Local policy and usable endpoints somewhere, yet none on this node. */
  readonly withoutLocalEndpoints: { readonly internal: number; readonly external: number };
  readonly serviceHealth: readonly ServiceHealth[];
  /** When, in milliseconds since 1970, the changes that are in the kernel now were made in the cluster. */
  readonly triggers: readonly number[];
}

/** How the second round of a pass, stale UDP flows, went. */
export interface FlowReport {
  readonly elapsed: number;
  readonly deleted: number;
}

/**
 * Watches the loops of both families. Nothing that it does may harm a loop: it is called between passes and must
 * neither throw nor wait.
 */
export interface Observer {
  /** The loop of a family begins. */
  began(family: Family): void;
  /** An object arrived. `pending`: Services with a change that is not in the kernel yet. */
  changed(kind: "Service" | "EndpointSlice", count: { readonly arrived: number; readonly pending: number }): void;
  /** A pass of this family is wanted. */
  queued(family: Family): void;
  /** How far a pass is: steps done, of all its steps, and rules sent. Called each 10 000 rules and after each step. */
  progressed(family: Family, progress: { readonly done: number; readonly of: number; readonly rules: number }): void;
  passed(family: Family, report: PassReport): void;
  flushed(family: Family, report: FlowReport): void;
}

/** Several as one; of none, one that watches nothing. */
export function together(observers: readonly Observer[]): Observer {
  const each = (tell: (observer: Observer) => void) => {
    for (const observer of observers) tell(observer);
  };
  return {
    began: (family) => each((observer) => observer.began(family)),
    changed: (kind, count) => each((observer) => observer.changed(kind, count)),
    queued: (family) => each((observer) => observer.queued(family)),
    progressed: (family, progress) => each((observer) => observer.progressed(family, progress)),
    passed: (family, report) => each((observer) => observer.passed(family, report)),
    flushed: (family, report) => each((observer) => observer.flushed(family, report)),
  };
}
