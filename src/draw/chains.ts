// How are the chains of some Services drawn?
import type { KernelState } from "../state/kernel-state.ts";
import { belongsTo } from "../state/service-choice.ts";
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
  const isAsked = (key: string) => services.length === 0 || services.some((service) => belongsTo(portOf(key), service));
  const graphs = states.flatMap((state) =>
    [...state.fragments].filter(({ key }) => isAsked(key)).map((fragment) => chainGraph(state, fragment)),
  );
  return drawGraphs(graphs, format);
}

/** The ServicePort of a fragment's key (`shop/cart:http/TCP`). */
function portOf(key: string): string {
  return key.slice(0, key.lastIndexOf("/"));
}
