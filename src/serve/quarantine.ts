// Tells operators which ServicePorts are quarantined because the kernel rejects their rules: Events and log lines, and
// the Services whose health-check node ports must fail for it.
import type { Family } from "../net/family.ts";
import type { Log } from "../sync/log.ts";
import { type Observer, type SetAsideService, together } from "../sync/observer.ts";
import type { Warning } from "./warning.ts";

/** Events for each sync. A kernel module that is missing may cost thousands of Services, on every node. */
const MAX_EVENTS = 20;

/** Of several items of one ServicePort the first one. Those whose traffic is served without the item are left out. */
export function quarantinedIn(setAside: readonly SetAsideService[]): ReadonlyMap<string, SetAsideService> {
  const quarantined = new Map<string, SetAsideService>();
  for (const one of setAside) {
    if (!one.partial && !quarantined.has(one.servicePort)) quarantined.set(one.servicePort, one);
  }
  return quarantined;
}

/** `shop/cart` of `shop/cart:http/TCP`. */
export function serviceOf(servicePort: string): string {
  return servicePort.replace(/^([^/]+\/[^/:]+).*$/, "$1");
}

export interface QuarantineInput {
  readonly nodeName: string;
  readonly log: Log;
  readonly warn: (warning: Warning) => void;
}

/** Warns of each ServicePort once when it is quarantined, and logs when the kernel has accepted it again. */
export function observeQuarantine({ nodeName, log, warn }: QuarantineInput): Observer {
  const known = new Map<Family, ReadonlyMap<string, SetAsideService>>();
  return {
    ...together([]),
    passed(family, { failure, setAside }) {
      const before = known.get(family) ?? new Map<string, SetAsideService>();
      const now = quarantinedIn(setAside);
      known.set(family, now);
      const added = [...now.values()].filter(({ servicePort }) => !before.has(servicePort));
      for (const { servicePort, reason } of added.slice(0, MAX_EVENTS)) {
        const [namespace = "", name = ""] = serviceOf(servicePort).split("/");
        const note = `node ${nodeName}: the kernel rejects the ${family} rules of ${servicePort}: ${reason}`;
        const subject = name === "" ? {} : { service: { namespace, name } };
        warn({ reason: "ServiceQuarantined", action: "SyncProxyRules", ...subject, note });
      }
      if (added.length > MAX_EVENTS) {
        const note = `the kernel rejects the ${family} rules of ${added.length - MAX_EVENTS} more ServicePorts`;
        warn({ reason: "ServiceQuarantined", action: "SyncProxyRules", note });
      }
      if (failure) return;
      for (const servicePort of before.keys()) {
        if (!now.has(servicePort)) log.info({ ipFamily: family, servicePort }, "ServicePort is no longer quarantined");
      }
    },
  };
}
