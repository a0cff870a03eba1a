// Does a packet come to the same ends in both layouts of iptables mode, equally often and under the same address?
import { hostPort } from "../../src/net/address.ts";
import { type KernelState, TABLES } from "../../src/state/kernel-state.ts";
import { wholeTable } from "../../src/state/whole-tables.ts";
import type { Packet } from "../../src/trace/packet.ts";
import { numberOf } from "../../src/trace/probability.ts";
import type { Ruleset } from "../../src/trace/ruleset.ts";
import { type Outcome, type Step, stepsTo, type Trace } from "../../src/trace/trace.ts";
import { walk } from "../../src/trace/walk/hooks.ts";

export interface BothLayouts {
  readonly compat: Ruleset;
  readonly indexed: Ruleset;
}

/** The kernel draws one of so many numbers. */
const RESOLUTION = 2 ** 31;

/** What differs, in words; nothing where both do the same. Nobody may stop for want of an answer. */
export function differencesOf({ compat, indexed }: BothLayouts, packet: Packet): readonly string[] {
  const [one, other] = [walk(compat, packet), walk(indexed, packet)];
  const [before, after] = [sharesOf(one), sharesOf(other)];
  const most = (one.steps.length + other.steps.length) / RESOLUTION;
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((end) => {
    const [was, is] = [before.get(end) ?? 0, after.get(end) ?? 0];
    const open = end.startsWith("unknown") ? [`nobody knows: ${end}`] : [];
    return before.has(end) === after.has(end) && Math.abs(was - is) <= most ? open : [`${end}: ${was}, then ${is}`];
  });
}

/** Ends that are told apart by whatever somebody outside of the node can notice, and how often each is met. */
function sharesOf({ outcomes }: Trace): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const end of outcomes) {
    const text = printEnd(end);
    shares.set(text, (shares.get(text) ?? 0) + numberOf(end.probability));
  }
  return shares;
}

function printEnd({ verdict, lastSteps }: Outcome): string {
  switch (verdict.kind) {
    case "delivered": {
      const { where, to, source, masqueradedBy } = verdict;
      const whose = masqueradedBy.length > 0 ? "masqueraded" : (source ?? "one of the node");
      return `${where} ${hostPort(to.address, to.port ?? 0)} for ${whose}${rememberedIn(lastSteps)}`;
    }
    case "rejected":
      return `rejected with ${verdict.answer}`;
    case "unknown":
      return `unknown: ${verdict.reason}`;
    default:
      return verdict.kind;
  }
}

/** Lists that the client is put into on its way. */
function rememberedIn(last: readonly Step[]): string {
  const lists = last.flatMap((step) => stepsTo(step)).flatMap(({ at }) => ("rule" in at ? listsOf(at.rule.line) : []));
  return [...new Set(lists)].map((list) => `, remembered in ${list}`).join("");
}

function listsOf(line: string): readonly string[] {
  return line.includes("-m recent --set ") ? [/--name (\S+)/.exec(line)?.[1] ?? ""] : [];
}

/** All lists of clients that a state's rules ask. */
export function recentLists(state: KernelState): readonly string[] {
  const lines = TABLES.flatMap((table) => [...wholeTable(state, table).values()].flatMap(({ rules }) => rules));
  return [...new Set(lines.flatMap(({ line }) => listsOf(line)))].sort();
}
