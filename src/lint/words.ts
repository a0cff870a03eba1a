// How are ports, families and addresses put into words?
import type { LintedPort } from "./cluster.ts";

/** `http/TCP (IPv4, IPv6), dns/UDP (IPv4)`; a port without a name is called by its number. */
export function printPorts(ports: readonly LintedPort[]): string {
  const families = new Map<string, string[]>();
  for (const port of ports) {
    const label = printPort(port);
    families.set(label, [...(families.get(label) ?? []), port.family]);
  }
  return [...families].map(([label, known]) => `${label} (${known.join(", ")})`).join(", ");
}

/** `http/TCP`. */
export function printPort({ traffic: { servicePort } }: LintedPort): string {
  return `${servicePort.name.port || servicePort.port}/${servicePort.protocol}`;
}

/** `80/TCP, 53/UDP`: the numbers at which a Service answers. */
export function printNumbers(ports: readonly LintedPort[]): string {
  const numbers = ports.map(({ traffic: { servicePort } }) => `${servicePort.port}/${servicePort.protocol}`);
  return [...new Set(numbers)].join(", ");
}

/** `"spec.ports[0].name"` and the like. */
export function portField({ index }: LintedPort, name: string): string {
  return `spec.ports[${index}].${name}`;
}
