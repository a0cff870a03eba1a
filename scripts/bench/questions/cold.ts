// How long until a node that serves nothing has all rules in, and until it serves what is most urgent?
import { inputsOf } from "../bare-restore.ts";
import { BenchNode } from "../bench-node.ts";
import { set } from "../changes.ts";
import { allManifests } from "../cluster.ts";
import { timeFreshRestores } from "../cold-restores.ts";
import type { Measurement } from "../measurement.ts";
import type { Subject } from "../subject.ts";

/** Up to here one restore with sorted chain lines is tolerable with iptables-nft: its time grows with the square. */
const ONE_RESTORE = 1000;

/** The objects are read already: what is measured begins with the first snapshot. */
export async function askCold({ size, layout }: Subject): Promise<readonly Measurement[]> {
  const node = await BenchNode.make("iptables", layout);
  const { elapsed, first, after, before } = await node.apply(set(allManifests(size)));
  const whole = size.services <= ONE_RESTORE;
  const pieces = inputsOf(after, before, node.means, node.means.variant);
  // What iptables-legacy is given is one restore, in the order that suits both.
  const all = whole ? inputsOf(after, before, node.means, "legacy") : pieces;
  return [
    {
      question: "cold start, all rules in",
      unit: "ms",
      ours: [elapsed],
      baseline: [await timeFreshRestores(all, after)],
      against: whole ? "bare restore, all in one, sorted" : "bare restore of the same pieces",
    },
    {
      question: "cold start, urgent Services in",
      unit: "ms",
      ours: [first],
      baseline: [await timeFreshRestores(pieces.slice(0, 1), after)],
      against: "bare restore of the same piece",
    },
  ];
}
