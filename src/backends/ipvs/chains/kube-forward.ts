// What does filter KUBE-FORWARD let pass?
import type { Rule } from "../../../state/kernel-state.ts";
import { markOf } from "../../chain.ts";
import type { Context } from "../context.ts";

const CHAIN = "filter/KUBE-FORWARD";

export function kubeForward({ fill, settings }: Context): readonly Rule[] {
  return [fill(CHAIN, "marked", { mark: markOf(settings) }), fill(CHAIN, "established")];
}
