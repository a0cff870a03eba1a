// Which packets does nat KUBE-POSTROUTING masquerade when they leave?
import type { Rule } from "../../../state/kernel-state.ts";
import { markOf } from "../../chain.ts";
import { type Context, rulesWhereFilled } from "../context.ts";

const CHAIN = "nat/KUBE-POSTROUTING";

export function kubePostrouting(context: Context): readonly Rule[] {
  const { fill, settings } = context;
  const mark = markOf(settings);
  return [
    ...rulesWhereFilled(context, CHAIN)("LOOP-BACK", "hairpin"),
    fill(CHAIN, "unmarked", { mark }),
    fill(CHAIN, "unmark", { mark }),
    fill(CHAIN, settings.randomFully ? "masquerade" : "masquerade-in-turn"),
  ];
}
