// `/healthz` and `/livez`: whether the proxy keeps up with changes, and whether load balancers may use this node.
import { FAMILIES, type Family } from "../net/family.ts";
import { type Observer, type SetAsideService, together } from "../sync/observer.ts";
import type { Clock } from "../sync/schedule.ts";
import { type Answer, json } from "./answer.ts";
import { goTime, NO_TIME } from "./go-time.ts";
import { quarantinedIn } from "./quarantine.ts";

/** What of the Node object tells that it is about to go. */
export interface NodeStanding {
  readonly deleting: boolean;
  /** The cluster autoscaler has said so. */
  readonly toBeDeleted: boolean;
}

export interface HealthInput {
  /** Measures how long a change waits. */
  readonly clock: Clock;
  /** What is shown: milliseconds since 1970 with a fraction. */
  readonly now: () => number;
  /** Milliseconds that a change may wait for a pass that brings it to the kernel. */
  readonly timeout: number;
  /** What keeps the proxy from reading its input; nothing where absent. */
  readonly interruptions?: Interruptions;
}

/** What cannot be read: this node's object before the start, manifest files while the daemon runs. */
export type Interrupted = "Node" | "manifests";

/** Milliseconds that an interruption lasts before it shows: editors and mounts take files away for a moment. */
const GRACE: Readonly<Record<Interrupted, number>> = { Node: 0, manifests: 60_000 };

/** Why the proxy cannot read its input. Rules stay in the kernel all the while. */
export class Interruptions {
  readonly #clock: Clock;
  readonly #all = new Map<Interrupted, { readonly reason: string; readonly since: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined: it can be read, or can be read again. */
  tell(interrupted: Interrupted, reason: string | undefined): void {
    if (reason === undefined) this.#all.delete(interrupted);
    else {
      const since = this.#all.get(interrupted)?.since ?? this.#clock.now();
      this.#all.set(interrupted, { reason, since });
    }
  }

  /** Of what has lasted too long. */
  reasonOf(interrupted: Interrupted): string | undefined {
    const interruption = this.#all.get(interrupted);
    if (!interruption || this.#clock.now() - interruption.since < GRACE[interrupted]) return undefined;
    return interruption.reason;
  }
}

/** What the kernel rejected: shown, but no reason to take all other Services off this node. */
interface Rejected {
  readonly quarantinedServicePorts?: number;
  readonly rejectedItems?: number;
}

interface FamilyHealth {
  readonly lastUpdated: number;
  readonly healthy: boolean;
}

/**
 * Follows kube-proxy's health: a family is unhealthy while a change waits for too long, so an idle one is healthy for
 * ever, and so is one whose first objects never come.
 */
export class Health {
  readonly #input: HealthInput;
  /** When the kernel was last known to be as wanted, as shown. */
  readonly #updated = new Map<Family, number>();
  /** Since when something waits, by the clock. */
  readonly #queued = new Map<Family, number>();
  readonly #rejected = new Map<Family, Rejected>();
  #node: NodeStanding | undefined;

  constructor(input: HealthInput) {
    this.#input = input;
  }

  /** To be told what the loops do. */
  readonly observer: Observer = {
    ...together([]),
    began: (family) => this.#update(family),
    queued: (family) => {
      if (!this.#queued.has(family)) this.#queued.set(family, this.#input.clock.now());
    },
    passed: (family, { failure, setAside }) => {
      this.#rejected.set(family, rejectedIn(setAside));
      if (failure) return;
      this.#queued.delete(family);
      this.#update(family);
    },
  };

  /** The newest Node object of this node. That it is gone need not be told: kube-proxy goes on with what it was. */
  sawNode({ deleting, toBeDeleted }: NodeStanding): void {
    this.#node = { deleting, toBeDeleted };
  }

  /** The proxy itself, whatever becomes of the node. */
  healthy(): boolean {
    return this.#families().every(([, { healthy }]) => healthy);
  }

  /** `/livez`: the proxy alone. A restart does not bring missing manifests back, so these do not count. */
  livez(): Answer {
    return this.#answer(this.healthy(), {}, ["Node"]);
  }

  /** `/healthz`: the proxy, on a node that is known and stays. */
  healthz(): Answer {
    const nodeEligible = this.#node !== undefined && !this.#node.deleting && !this.#node.toBeDeleted;
    return this.#answer(nodeEligible && this.healthy(), { nodeEligible }, ["Node", "manifests"]);
  }

  #update(family: Family): void {
    this.#updated.set(family, this.#input.now());
  }

  #answer(
    isWell: boolean,
    eligibility: { readonly nodeEligible?: boolean },
    interrupted: readonly Interrupted[],
  ): Answer {
    const reasons = interrupted.flatMap((each) => this.#input.interruptions?.reasonOf(each) ?? []);
    const well = isWell && reasons.length === 0;
    const families = this.#families();
    const now = this.#input.now();
    const newest = families.map(([, { lastUpdated }]) => lastUpdated).sort((a, b) => b - a)[0];
    const old = newest === undefined ? NO_TIME : goTime(newest);
    const shown = families.map(([family, { lastUpdated, healthy }]) => {
      return [family, { lastUpdated: goTime(lastUpdated), healthy, ...this.#rejected.get(family) }] as const;
    });
    const body = {
      lastUpdated: well ? goTime(now) : old,
      currentTime: goTime(now),
      ...eligibility,
      healthy: families.every(([, { healthy }]) => healthy),
      ...(shown.length > 0 && { status: Object.fromEntries(shown) }),
      // Nothing where nothing is wrong, so that the answer is kube-proxy's.
      ...(reasons.length > 0 && { reasons }),
    };
    return json(JSON.stringify(body), well ? 200 : 503);
  }

  #families(): readonly (readonly [Family, FamilyHealth])[] {
    const { clock, timeout } = this.#input;
    return FAMILIES.flatMap((family) => {
      const lastUpdated = this.#updated.get(family);
      if (lastUpdated === undefined) return [];
      const waits = clock.now() - (this.#queued.get(family) ?? Number.POSITIVE_INFINITY);
      return [[family, { lastUpdated, healthy: waits < timeout }] as const];
    });
  }
}

/** Nothing where nothing is rejected, so that the answer is kube-proxy's. */
function rejectedIn(setAside: readonly SetAsideService[]): Rejected {
  const ports = quarantinedIn(setAside).size;
  const items = setAside.filter(({ item }) => item !== undefined).length;
  return { ...(ports > 0 && { quarantinedServicePorts: ports }), ...(items > 0 && { rejectedItems: items }) };
}
