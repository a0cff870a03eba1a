// What does a rule do with a packet that it is for?
import { hostPort } from "../net/address.ts";
import { hasConnection } from "./judge-connection.ts";
import { changed, type PacketState } from "./packet-state.ts";
import type { ParsedRule } from "./parsed-rule.ts";
import type { Situation } from "./situation.ts";
import type { MarkChange, MarkCopyTarget, MarkTarget, Target } from "./target-kinds.ts";
import { translate } from "./translation.ts";

/** What a REJECT answers that names nothing. */
const PORT_UNREACHABLE = { IPv4: "icmp-port-unreachable", IPv6: "icmp6-port-unreachable" } as const;

export type Effect =
  /** On to the next rule. */
  | { readonly kind: "on"; readonly state: PacketState; readonly what: string }
  /** Into another chain; `back`: it comes back to the next rule. */
  | { readonly kind: "enter"; readonly chain: string; readonly back: boolean }
  | { readonly kind: "return" }
  /** The table is done with it. Of several states something other than chance picks one. */
  | { readonly kind: "accept"; readonly states: readonly PacketState[]; readonly what: string }
  | { readonly kind: "drop" }
  | { readonly kind: "reject"; readonly answer: string }
  | { readonly kind: "stop"; readonly reason: string };

/** What the rule does, all its matches holding. */
export function effectOf(rule: ParsedRule, before: PacketState, situation: Situation): Effect {
  const state = remembering(rule, before);
  const { target } = rule;
  switch (target.kind) {
    case "verdict":
      return verdict(target.verdict, state);
    case "jump":
    case "goto":
      return { kind: "enter", chain: target.chain, back: target.kind === "jump" };
    case "reject":
      return { kind: "reject", answer: target.answer ?? PORT_UNREACHABLE[situation.field.family] };
    case "dnat":
    case "snat":
    case "masquerade":
    case "redirect":
    case "netmap":
      return translate(target, state, situation);
    case "tproxy":
      return stop("hands it to a proxy on this node, if one listens");
    case "queue":
      return stop("hands it to a program, which decides");
    case "unknown":
      return stop(`is not understood: ${target.text}`);
    default:
      return goOn(target, state, situation);
  }
}

function verdict(name: "ACCEPT" | "DROP" | "RETURN", state: PacketState): Effect {
  if (name === "RETURN") return { kind: "return" };
  return name === "DROP" ? { kind: "drop" } : { kind: "accept", states: [state], what: "accepted" };
}

/** Targets that let the packet go on. */
function goOn(target: Target, state: PacketState, situation: Situation): Effect {
  switch (target.kind) {
    case "mark":
      return marked(changed(state, { mark: applied(target, state.mark) }));
    case "connmark":
    case "save-mark":
    case "restore-mark":
      return hasConnection(state, situation) ? connectionMarked(target, state) : on(state, "has no connection yet");
    case "notrack":
      if (situation.connection !== "none") return on(state, "the connection is tracked already");
      return on(changed(state, { tracked: false }), "is not tracked");
    case "none":
      return on(state, "counted");
    default:
      return on(state, "text" in target ? `goes on: ${target.text}` : "goes on");
  }
}

function connectionMarked(target: MarkTarget | MarkCopyTarget, state: PacketState): Effect {
  if ("xor" in target) {
    return on(changed(state, { connectionMark: applied(target, state.connectionMark) }), "marks the connection");
  }
  const { kind, packetMask, connectionMask } = target;
  if (kind === "save-mark") {
    const change = { clear: connectionMask, xor: (state.mark & packetMask) >>> 0 };
    return on(changed(state, { connectionMark: applied(change, state.connectionMark) }), "mark saved");
  }
  const change = { clear: packetMask, xor: (state.connectionMark & connectionMask) >>> 0 };
  return marked(changed(state, { mark: applied(change, state.mark) }));
}

function applied({ clear, xor }: MarkChange, mark: number): number {
  return ((mark & ~clear) ^ xor) >>> 0;
}

function marked(state: PacketState): Effect {
  return on(state, `mark becomes 0x${state.mark.toString(16)}`);
}

function on(state: PacketState, what: string): Effect {
  return { kind: "on", state, what };
}

function stop(reason: string): Effect {
  return { kind: "stop", reason };
}

/** The packet, its source on the lists that the rule puts it on. */
function remembering({ matches }: ParsedRule, state: PacketState): PacketState {
  const names = matches.flatMap((match) => (match.kind === "recent" && match.action === "set" ? match.name : []));
  const fresh = names.filter((name) => !state.remembered.includes(name));
  return fresh.length === 0 ? state : changed(state, { remembered: [...state.remembered, ...fresh] });
}

/** `10.0.0.1:80`, or the address alone. */
export function printHostPort(address: string, port: number | undefined): string {
  return port === undefined ? address : hostPort(address, port);
}
