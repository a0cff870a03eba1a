// What is said, and recorded, of the mode that a node proxy starts in?
import t from "tap";
import type { ChosenMode } from "../../src/commands/mode.ts";
import { recordMode } from "../../src/commands/mode-events.ts";
import { keptLog } from "../support/kept-log.ts";

function record(chosen: Omit<ChosenMode, "options">) {
  const { logs, lines } = keptLog();
  const events: string[] = [];
  const kept = {
    record: ({ type, reason, note }: Record<"type" | "reason" | "note", string>) =>
      events.push(`${type} ${reason}: ${note}`),
  };
  recordMode(chosen, kept, logs("mode-events.ts"));
  return { events, lines };
}

t.test("nothing of iptables mode, where that was asked for", async (t) => {
  t.strictSame(record({ mode: "iptables" }), { events: [], lines: [] });
});

t.test("that IPVS mode is deprecated", async (t) => {
  const words =
    "IPVS mode is deprecated in Kubernetes and may go away; nftables mode of kube-proxy is to take its place";
  t.strictSame(record({ mode: "ipvs" }), {
    events: [`Warning IPVSDeprecation: ${words}`],
    lines: [`"${words}"`],
  });
});

t.test("why it is not the one that was asked for", async (t) => {
  const fallback = { part: "FamilyMissing", words: "the kernel has no IPVS" } as const;
  const words =
    "IPVS mode is not possible on this node, iptables mode serves it: the kernel has no IPVS (FamilyMissing)";
  t.strictSame(record({ mode: "iptables", fallback }), { events: [`Warning IPVSFallback: ${words}`], lines: [] });
});
