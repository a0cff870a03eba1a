// Derives the health check responses for load balancers (healthCheckNodePort).
import { mapPages, type Page } from "../paged-list.ts";
import type { KnownService } from "./known-service.ts";
import type { KnownWorld } from "./world.ts";

/** One Service with a health-check nodePort. */
export interface LocalReadiness {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** Distinct addresses of ready endpoints on this node, over all ports of the Service. */
  readonly localEndpoints: number;
}

/**
 * All Services of this family with a health-check nodePort, in the order of the World. Endpoints that only serve while
 * they terminate do not count, so a check fails before traffic stops. Only these Services are looked into.
 */
export function serviceHealthOf({ known }: Pick<KnownWorld, "known">): readonly LocalReadiness[] {
  return [...mapPages(known, remembered, (services) => services.flatMap(readinessOf))];
}

const remembered = new WeakMap<Page<KnownService>, Page<LocalReadiness>>();

function readinessOf({ record, ports }: KnownService): readonly LocalReadiness[] {
  // The port is the Service's, so every ServicePort has the same.
  const port = ports[0]?.traffic.servicePort.healthCheckNodePort ?? 0;
  if (port === 0) return [];
  const { namespace, name } = record.service;
  return [{ namespace, name, port, localEndpoints: countLocal(ports) }];
}

function countLocal(ports: KnownService["ports"]): number {
  const ips = new Set<string>();
  for (const { endpoints } of ports) for (const { ip, local, ready } of endpoints) if (local && ready) ips.add(ip);
  return ips.size;
}
