// What is drawn of one ServicePort? All that its packets meet, from the hooks to its endpoints.
import type { Fragment, KernelState } from "../state/kernel-state.ts";
import { type Drawn, drawChain } from "./chain-boxes.ts";
import { foldTrees, treeShares } from "./choice-tree.ts";
import { type Box, type Graph, mergeGraph } from "./graph.ts";
import { drawRealServers, groupServers, type ServerGroup } from "./server-boxes.ts";
import { chainsOf, entriesOf } from "./service-rules.ts";

/** Where IPVS takes packets, whatever rules say of them. */
const INPUT: Box = { id: "ipvs INPUT", kind: "hook", caption: "ipvs", name: "INPUT", notes: [] };

/** The graph of one fragment of a wanted state. What stands in the kernel for all Services alike is left out. */
export function chainGraph(state: KernelState, fragment: Fragment): Graph {
  const drawn = foldTrees(chainsOf(state, fragment));
  const groups = groupServers(fragment);
  const around = {
    service: fragment.key.slice(0, fragment.key.lastIndexOf("/")),
    chains: new Set(drawn.map(({ id }) => id)),
    entries: entriesOf(fragment),
    groups,
    treeShares: treeShares(drawn),
  };
  const chains = drawn.map((chain) => drawChain(chain, around));
  const servers = drawServers(groups, new Set(chains.flatMap(({ arrows }) => arrows.map(({ to }) => to))));
  return mergeGraph({
    title: `${fragment.key} ${state.family}`,
    boxes: [...chains, servers].flatMap(({ boxes }) => boxes),
    arrows: [...chains, servers].flatMap(({ arrows }) => arrows),
  });
}

/** Virtual servers that no set leads to are reached from the hook itself. */
function drawServers(groups: readonly ServerGroup[], reached: ReadonlySet<string>): Drawn {
  const apart = groups.filter(({ box: { id } }) => !reached.has(id));
  const realServers = groups.flatMap(drawRealServers);
  return {
    boxes: [
      ...(apart.length === 0 ? [] : [INPUT]),
      ...groups.map(({ box }) => box),
      ...realServers.map(([box]) => box),
    ],
    arrows: [
      ...apart.map(({ box: { id } }) => ({ from: INPUT.id, to: id, labels: [] })),
      ...realServers.map(([, arrow]) => arrow),
    ],
  };
}
