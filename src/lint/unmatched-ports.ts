// Which ports of a Service have no counterpart in its EndpointSlices, though these have endpoints?
import type { LintedPort, LintedService } from "./cluster.ts";

export interface UnmatchedPort {
  readonly port: LintedPort;
  /** The ports that slices of the family do have, in words. */
  readonly offered: string;
}

export function* unmatchedPorts({ ports, slices }: LintedService): Generator<UnmatchedPort> {
  for (const port of ports.filter(({ endpoints }) => endpoints.length === 0)) {
    const own = slices.filter(({ family, endpoints }) => family === port.family && endpoints.length > 0);
    if (own.length === 0) continue;
    const names = own.flatMap((slice) => slice.ports.map(({ name, protocol }) => `${name || '""'}/${protocol}`));
    yield { port, offered: [...new Set(names)].join(", ") || "none" };
  }
}
