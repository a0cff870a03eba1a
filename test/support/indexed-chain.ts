// How does a test write a shared chain with an index, and fragments that have their places in it?
import type { IndexedChain } from "../../src/state/index-tree.ts";
import type { Fragment } from "../../src/state/kernel-state.ts";
import { buildFragment } from "./fragments.ts";

/** KUBE-SERVICES with a fixed rule before the shares and one behind them. Keys are five octal digits in the target. */
export const INDEXED_CHAIN: IndexedChain = {
  name: "KUBE-SERVICES",
  hold: "ours",
  rules: [{ line: "-A KUBE-SERVICES -j FIRST" }],
  last: [{ line: "-A KUBE-SERVICES -j LAST" }],
  index: {
    keyOf: ({ line }) => /\d{5}/.exec(line)?.[0] ?? "",
    chainOf: (place) => `KUBE-IX-${place}`,
    wayTo: (from, place, back) => ({ line: `-A ${from} -${back === "root" ? "j" : "g"} KUBE-IX-${place}` }),
  },
};

/** `ns/s-0001:http/TCP` with one share, whose key is the same number. */
export function placedFragment(place: number, key = place): Fragment {
  const digits = key.toString(8).padStart(5, "0");
  return buildFragment(`ns/s-${place.toString().padStart(4, "0")}:http/TCP`, [`T${digits}`]);
}
