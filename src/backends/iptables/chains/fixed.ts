// Which rules stand in the kernel whatever the Services are?
import type { Settings } from "../../../model/settings.ts";
import type { World } from "../../../model/world.ts";
import type { Chain, Rule } from "../../../state/kernel-state.ts";
import { markOf, ours } from "../../chain.ts";
import type { FillFrom } from "../../fill.ts";
import { nodePortDispatch } from "./kube-services.ts";

/** Flushed by whoever flushes all rules, so that its absence tells that ours are gone too. In every table we use. */
export const CANARY = "KUBE-PROXY-CANARY";

/** The chains of table filter that are always there. Those of Services get their shares from fragments. */
export function filterChains(fill: FillFrom, settings: Settings): readonly Chain[] {
  return [
    ours("KUBE-SERVICES", []),
    ours("KUBE-EXTERNAL-SERVICES", []),
    ours("KUBE-FORWARD", kubeForward(fill, settings)),
    ours("KUBE-NODEPORTS", []),
    ours("KUBE-PROXY-FIREWALL", []),
    kubeFirewall(fill, settings),
    ensured(CANARY),
  ];
}

/** The chains of table nat that are always there. */
export function natChains(fill: FillFrom, world: World): readonly Chain[] {
  const mark = markOf(world.settings);
  return [
    { ...ours("KUBE-SERVICES", []), last: nodePortDispatch(fill, world) },
    ours("KUBE-NODEPORTS", []),
    ours("KUBE-POSTROUTING", kubePostrouting(fill, world.settings)),
    ours("KUBE-MARK-MASQ", [fill("nat/KUBE-MARK-MASQ", "mark", { mark })]),
    ensured(CANARY),
  ];
}

/** A chain that must exist, and whose content is nobody's business here. */
export function ensured(name: string): Chain {
  return { name, hold: "ensured", rules: [] };
}

// kubelet makes the same chain for IPv4 and may fill it; the one rule is ours where localhost nodePorts need it.
function kubeFirewall(fill: FillFrom, { family, localhostNodePorts }: Settings): Chain {
  if (family === "IPv6" || !localhostNodePorts) return ensured("KUBE-FIREWALL");
  return ours("KUBE-FIREWALL", [fill("filter/KUBE-FIREWALL", "localnet")]);
}

function kubeForward(fill: FillFrom, settings: Settings): readonly Rule[] {
  const invalid = settings.counters.invalidDropped ? "invalid-counted" : "invalid";
  const rules = settings.dropInvalid ? [fill("filter/KUBE-FORWARD", invalid)] : [];
  return [
    ...rules,
    fill("filter/KUBE-FORWARD", "marked", { mark: markOf(settings) }),
    fill("filter/KUBE-FORWARD", "established"),
  ];
}

function kubePostrouting(fill: FillFrom, settings: Settings): readonly Rule[] {
  const mark = markOf(settings);
  return [
    fill("nat/KUBE-POSTROUTING", "unmarked", { mark }),
    fill("nat/KUBE-POSTROUTING", "unmark", { mark }),
    fill("nat/KUBE-POSTROUTING", settings.randomFully ? "masquerade" : "masquerade-in-turn"),
  ];
}
