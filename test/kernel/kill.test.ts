// Does every new start bring a kernel to rights that was left in the midst of anything?
import "../support/enter-sandbox.ts";

import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import t, { type Test } from "tap";
import { makeFollowedNode, manifestOf } from "../support/followed-node.ts";
import { inNamespace, VARIANTS, type Variant, variantSkip } from "../support/iptables-variant.ts";
import { configure } from "../support/netns.ts";
import { skipReason } from "../support/sandbox.ts";
import { takeSeed } from "../support/seed.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(240_000);

const skip = skipReason();
const seed = takeSeed();

const KILLS = 5;

/** So many that a first load is cut in pieces, and that a kill may well meet a restore. */
const SERVICES = 120;

/** Milliseconds between two changes of the manifests. */
const BEAT = 150;

const moments = fc.array(fc.integer({ min: 2, max: 12 }), { minLength: KILLS, maxLength: KILLS });

for (const variant of VARIANTS) {
  const unable = skip || variantSkip(variant);
  t.test(`${variant}: killed at any time with its tools`, { skip: unable }, (t) => testKills(t, variant));
  t.test(`${variant}: over a kernel that is right`, { skip: unable }, (t) => testQuietStart(t, variant));
}

/** The same Services each turn, each third with another endpoint; some come and go. */
function manifestsOf(turn: number): string {
  const numbers = Array.from({ length: SERVICES }, (_, index) => index + 1).filter((number) => number % 7 !== turn % 7);
  return numbers
    .map((number) => manifestOf(number, `10.244.${number % 3 === turn % 3 ? turn % 200 : 1}.${number}`))
    .join("");
}

async function testKills(t: Test, variant: Variant): Promise<void> {
  const { show, start, settled } = await makeFollowedNode(t, variant);
  const [beats = []] = fc.sample(moments, { seed, numRuns: 1 });
  let turn = 0;
  for (const [kill, count] of beats.entries()) {
    show(manifestsOf(turn));
    const daemon = start();
    await daemon.said(/"Starting"/);
    for (let beat = 0; beat < count; beat++) {
      await sleep(BEAT);
      turn++;
      show(manifestsOf(turn));
    }
    await sleep((seed + 37 * kill) % BEAT);
    await daemon.kill();
    t.comment(`killed after ${count} changes`);
    if (kill % 2 === 0) continue;
    const again = start();
    await settled(t, `start ${kill}`);
    await again.kill();
  }
  const last = start();
  await settled(t, "the last start");
  t.strictSame(
    last.lines.filter((line) => line.startsWith("E")),
    [],
    "without any fault",
  );
}

async function testQuietStart(t: Test, variant: Variant): Promise<void> {
  const { node, env, show, start, settled } = await makeFollowedNode(t, variant);
  await configure(node.name, ["route add default dev lo"]);
  show(manifestsOf(0));
  const first = start();
  await settled(t, "at first");
  await first.kill();
  const connect = "for port in 80 80 80; do timeout 0.1 bash -c 'exec 3<>/dev/tcp/10.96.100.1/80'; done; true";
  await inNamespace(node, ["bash", "-c", connect], { env });
  const counted = async () =>
    (await inNamespace(node, ["iptables-save", "-c"], { env })).match(/^\[.*-A KUBE-S.*/gm) ?? [];
  const before = await counted();
  t.ok(
    before.some((line) => !line.startsWith("[0:0]")),
    "rules of ours have counted packets",
  );
  const again = start();
  await again.said(/"Starting"/);
  await sleep(2500);
  t.strictSame(await counted(), before, "the counters of all rules stay: nothing was sent");
  t.strictSame(
    again.lines.filter((line) => /^[EW]/.test(line) || (line.includes("SyncProxyRules") && !/ steps=0\b/.test(line))),
    [],
    "each sync had nothing to do, and nothing went wrong",
  );
}
