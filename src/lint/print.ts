// Prints Service ports and field paths for findings.
import type { LintedPort, LintedService } from "./cluster.ts";

/** `http/TCP (IPv4, IPv6), dns/UDP (IPv4)`; a port without a name is printed by its number. */
export function printPorts(ports: readonly LintedPort[]): string {
  const families = new Map<string, string[]>();
  for (const port of ports) {
    const label = printPort(port);
    families.set(label, [...(families.get(label) ?? []), port.family]);
  }
  return [...families].map(([label, list]) => `${label} (${list.join(", ")})`).join(", ");
}

/** `http/TCP`. */
export function printPort({ traffic: { servicePort } }: LintedPort): string {
  return `${servicePort.name.port || servicePort.port}/${servicePort.protocol}`;
}

/** `80/TCP, 53/UDP`: the port numbers of a Service, each once. */
export function printNumbers(ports: readonly LintedPort[]): string {
  const numbers = ports.map(({ traffic: { servicePort } }) => `${servicePort.port}/${servicePort.protocol}`);
  return [...new Set(numbers)].join(", ");
}

/** The path of a field of a Service port, such as `spec.ports[0].name`. */
export function portField({ index }: LintedPort, name: string): string {
  return `spec.ports[${index}].${name}`;
}

/** The path of the field that contains this cluster IP. */
export function clusterIPField({ service }: LintedService, clusterIP: string): string {
  const index = service.clusterIPs.indexOf(clusterIP);
  return index < 0 ? "spec.clusterIP" : `spec.clusterIPs[${index}]`;
}
