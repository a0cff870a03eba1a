// How are the chains of some Services drawn?
import type { KernelState } from "../state/kernel-state.ts";
import { chainGraph } from "./chain-graph.ts";
import { drawGraphs, type PictureFormat } from "./picture.ts";

/**
 * One picture of wanted states, line by line: a part for each port and family of the Services, each given as
 * `namespace/name` or `namespace/name:port`; of no Service, of all that there are.
 */
export function drawChains(
  states: readonly KernelState[],
  services: readonly string[],
  format: PictureFormat,
): Iterable<string> {
  const isAsked = (key: string) => services.length === 0 || services.some((service) => belongsTo(key, service));
  const graphs = states.flatMap((state) =>
    [...state.fragments].filter(({ key }) => isAsked(key)).map((fragment) => chainGraph(state, fragment)),
  );
  return drawGraphs(graphs, format);
}

/** Is the key (`shop/cart:http/TCP`) that of the Service, or of the one port of it, that is asked for? */
function belongsTo(key: string, service: string): boolean {
  const port = key.slice(0, key.lastIndexOf("/"));
  return port === service || port.startsWith(`${service}:`);
}
