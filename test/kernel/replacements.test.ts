// Does the kernel take single rules in the place of others, so that its chains are as if they had been written whole?
import "../support/enter-sandbox.ts";

import t, { type Test } from "tap";
import type { Service, ServiceRecord } from "../../src/api/objects.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { printTables } from "../../src/state/iptables-print.ts";
import { buildEndpoint, buildPort, buildRecord, buildService, buildSlice, buildSnapshot } from "../support/build.ts";
import { ipsetSkipReason } from "../support/ipset-tool.ts";
import { VARIANTS, type Variant, variantSkip } from "../support/iptables-variant.ts";
import { fromScratch, KeptKernel } from "../support/kept-kernel.ts";
import { commandHere } from "../support/namespace-command.ts";
import { skipReason } from "../support/sandbox.ts";
import { savedTables } from "../support/saved-tables.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(120_000);

const skip = skipReason();

const KINDS: readonly Partial<Service>[] = [
  { name: "plain" },
  { name: "sticky", affinitySeconds: 10_800 },
  { name: "local", type: "NodePort", externalTrafficPolicy: "Local", ports: [buildPort({ nodePort: 30_080 })] },
];

/** Six endpoints with these last bytes; they are sorted by the one before, so that each keeps its place. */
function recordOf(given: Partial<Service>, index: number, family: Family, numbers: readonly number[]): ServiceRecord {
  const name = given.name ?? "";
  const ipv4 = family === "IPv4";
  const service = buildService({ clusterIP: ipv4 ? `10.0.0.${index + 1}` : `fd00:10::${index + 1}`, ...given });
  const endpoints = numbers.map((number, place) => {
    return buildEndpoint(ipv4 ? `10.1.${index + 1}${place}.${number}` : `fd00:1::${index + 1}${place}:${number}`, {
      nodeName: place % 2 === 0 ? "n1" : "n2",
    });
  });
  return buildRecord(service, buildSlice(endpoints, { service: name, name: `${name}-1`, family }));
}

const ROUNDS: readonly (readonly number[])[] = [
  [1, 2, 3, 4, 5, 6],
  [1, 2, 33, 4, 5, 6],
  [11, 2, 33, 4, 5, 66],
  [11, 2, 3, 44, 5, 66],
];

for (const variant of VARIANTS) {
  for (const family of FAMILIES) {
    for (const mode of ["iptables", "Indexed"] as const) {
      const able = { skip: (mode === "iptables" ? skip : ipsetSkipReason()) || variantSkip(variant) };
      t.test(`${family} through ${variant}, ${mode}`, able, (t) => testReplacing(t, family, variant, mode));
    }
  }
}

async function testReplacing(t: Test, family: Family, variant: Variant, mode: "iptables" | "Indexed"): Promise<void> {
  const run = commandHere(variant);
  const kept = new KeptKernel({ family, variant, kernel: machine(run), mode });
  for (const [round, numbers] of ROUNDS.entries()) {
    const snapshot = buildSnapshot(KINDS.map((kind, index) => recordOf(kind, index, family, numbers)));
    t.notOk(await kept.keep(snapshot), `round ${round}: ${kept.lines.at(-1)}`);
    const sent = linesOf(kept);
    const replaced = sent.filter((line) => line.startsWith("-R "));
    const written = sent.filter((line) => /^-A KUBE-(?:IX-)?SV[CL]-.* -[jg] KUBE-(?:IX-)?SEP-/.test(line));
    if (round > 0) {
      t.ok(replaced.length >= (mode === "Indexed" ? 1 : KINDS.length), `round ${round}: rules are replaced`);
      t.strictSame(written, [], `round ${round}: no chain that leads to endpoints is written whole`);
    }
    const wanted = [...printTables(fromScratch(snapshot, family, mode))];
    t.strictSame(await savedTables(run, family), wanted, `round ${round}: the kernel has what is wanted`);
  }

  const touched = linesOf(kept).find((line) => line.startsWith("-R "));
  const chain = touched?.split(" ")[1] ?? "";
  const restore = family === "IPv4" ? "iptables-restore" : "ip6tables-restore";
  for (const [index, edit] of [`:${chain} - [0:0]`, `-I ${chain} 1 -j RETURN`, `-D ${chain} 1`].entries()) {
    await run({ program: restore, args: ["--noflush"], input: [`*nat\n${edit}\nCOMMIT\n`] });
    const numbers = [11, 2, 3, 44 + index + 1, 5, 66];
    const snapshot = buildSnapshot(KINDS.map((kind, place) => recordOf(kind, place, family, numbers)));
    t.notOk(await kept.keep(snapshot), `${edit}: ${kept.lines.at(-1)}`);
    const wanted = [...printTables(fromScratch(snapshot, family, mode))];
    t.strictSame(await savedTables(run, family), wanted, `${edit}: found at once and repaired, with no look due`);
  }
}

/** What the last pass sent, its attempts one after the other. */
function linesOf({ last }: KeptKernel): readonly string[] {
  const steps = last?.attempts.flatMap(({ plan }) => plan.steps) ?? [];
  const changes = steps.flatMap((step) => (step.kind === "iptables" ? step.changes : []));
  return changes.flatMap(({ clear, rules }) => [...clear.map((name) => `:${name}`), ...rules]);
}
