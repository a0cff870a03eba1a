// Over which connections do requests go, and when are old ones given up?
import type { Agent } from "node:http";
import { InputError } from "../errors.ts";
import type { TlsMaterial } from "./credentials.ts";
import { makeRoute, type Route, type Target } from "./route.ts";

interface Current {
  readonly tls: TlsMaterial;
  readonly route: Route;
}

/** Keeps connections alive for as long as the certificates stay the same. */
export class Transport {
  readonly #target: Target;
  readonly #warn: (text: string) => void;
  #current: Current | undefined;

  constructor(target: Target, warn: (text: string) => void) {
    this.#target = target;
    this.#warn = warn;
  }

  /**
   * The way that requests go now. New certificates mean new connections; what goes on over old ones may end in peace.
   * Throws InputError for certificates that cannot be used; when there were better ones, these are used on: a
   * certificate and its key cannot be replaced in one stroke.
   */
  routeFor(tls: TlsMaterial): Route {
    const current = this.#current;
    if (current?.tls === tls) return current.route;
    const route = this.#makeRoute(tls) ?? current?.route;
    if (!route) throw new InputError({}, "no certificates can be used");
    if (current && current.route !== route) retire(current.route.agent);
    this.#current = { tls, route };
    return route;
  }

  /** Ends all connections at once. */
  close(): void {
    this.#current?.route.agent.destroy();
  }

  #makeRoute(tls: TlsMaterial): Route | undefined {
    try {
      return makeRoute(this.#target, tls);
    } catch (error) {
      if (!this.#current || !(error instanceof InputError)) throw error;
      this.#warn(`${error.message}; the certificates of before are used on`);
      return undefined;
    }
  }
}

function retire(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const idle of Object.values(agent.freeSockets)) for (const socket of idle ?? []) socket.destroy();
}
