// How does nat KUBE-MARK-MASQ mark a packet that is to be masqueraded?
import type { Rule } from "../../../state/kernel-state.ts";
import { markOf } from "../../chain.ts";
import type { Context } from "../context.ts";

export function kubeMarkMasq({ fill, settings }: Context): readonly Rule[] {
  return [fill("nat/KUBE-MARK-MASQ", "mark", { mark: markOf(settings) })];
}
