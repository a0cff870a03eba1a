// Does the kernel keep the promises that one packet cannot show: an even spread, and clients that stay and go?
import "../support/enter-sandbox.ts";

import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import type { Outcome } from "../support/agent.ts";
import { chiSquare, criticalValue } from "../support/chi-square.ts";
import { VARIANTS, variantSkip } from "../support/iptables-variant.ts";
import type { PacketCase } from "../support/packet-case.ts";
import type { Flow } from "../support/packet-flow.ts";
import { built } from "../support/program.ts";
import { skipReason } from "../support/sandbox.ts";
import { type Scene, sceneOf, send } from "../support/scene.ts";
import { limitTime } from "../support/time-limit.ts";

// The end of affinity has to be waited for.
limitTime(300_000);

const skip = skipReason();

/** Clusters whose endpoints must get equal shares, by lines of their own `packets.yaml`. */
const EVEN = [
  { cluster: "s02-clusterip-unnamed-port-four-endpoints", lines: ["a pod reaches all four"] },
  { cluster: "s09-nodeport-cluster-policy", lines: ["a client from outside"] },
  { cluster: "u02-udp-policies", lines: ["a client from outside at the nodePort"] },
  { cluster: "u08-ten-endpoints", lines: ["a pod reaches all ten", "an IPv6 pod reaches all ten"] },
];

const CONNECTIONS = 300;

/** How often honest chance looks uneven. Twice in a row is one in a million, so one more draw is granted. */
const CHANCE = 0.001;

/** The Service whose clients stay for two seconds: where it is asked, and by whom. */
const STICKY_CLUSTER = "u09-short-affinity";

const STICKY = [
  { name: "pods at the cluster IP", line: "a client that is new gets any endpoint", client: "10.244.0." },
  { name: "clients from outside at the nodePort", line: "from outside as well", client: "198.18.0." },
  { name: "pods that speak UDP", line: "and by UDP", client: "10.244.0.1" },
  { name: "IPv6 pods", line: "and in IPv6", client: "fd00:244::" },
];

/** So many that chance does not send all of them to one of three endpoints. */
const CLIENTS = 24;

for (const variant of VARIANTS) {
  const unable = skip || variantSkip(variant);
  for (const { cluster, lines } of EVEN) {
    t.test(`${variant}: ${cluster} spreads evenly`, { skip: unable }, async (t) => {
      const choose = linesOf(lines);
      const scene = await sceneOf(t, cluster, { variant, program: built(), choose });
      for (const flow of scene.flows) await testSpread(t, flow, scene);
    });
  }
  t.test(`${variant}: clients stay with their endpoint, and go`, { skip: unable }, (t) => testAffinity(t, variant));
}

async function testSpread(t: Test, flow: Flow, scene: Scene): Promise<void> {
  const limit = criticalValue(flow.expected.reached.length - 1, CHANCE);
  const draws: string[] = [];
  const draw = async (): Promise<number> => {
    const counts = shares(await send(scene, flow, CONNECTIONS), flow);
    draws.push(counts.join(" "));
    const answered = counts.reduce((sum, count) => sum + count, 0);
    // One without an answer is no uneven spread, and no even one.
    return answered === CONNECTIONS ? chiSquare(counts) : Number.POSITIVE_INFINITY;
  };
  const even = (await draw()) < limit || (await draw()) < limit;
  t.ok(even, `${flow.name}: ${CONNECTIONS} connections as ${draws.join(", then ")}, limit ${limit.toFixed(1)}`);
}

async function testAffinity(t: Test, variant: (typeof VARIANTS)[number]): Promise<void> {
  const choose = ({ cases }: { readonly cases: readonly PacketCase[] }): readonly PacketCase[] =>
    STICKY.flatMap(({ line, client }) =>
      cases.filter(({ name }) => name === line).flatMap((packet) => clients(packet, client)),
    );
  const scene = await sceneOf(t, STICKY_CLUSTER, { variant, program: built(), choose });
  const draw = (): Promise<readonly string[]> => Promise.all(scene.flows.map((flow) => endpointOf(scene, flow)));
  const kinds = (drawn: readonly string[]): readonly (readonly string[])[] =>
    STICKY.map((_, at) => drawn.slice(at * CLIENTS, (at + 1) * CLIENTS));

  const first = kinds(await draw());
  for (const [at, { name }] of STICKY.entries()) {
    const endpoints = new Set(first[at]);
    t.ok(endpoints.size > 1 && [...endpoints].every((text) => text.startsWith("only ")), `${name}: each with its own`);
  }
  for (const moment of ["within the time", "as long as they keep coming", "beyond the time since the first"]) {
    await sleep(800);
    t.strictSame(kinds(await draw()), first, moment);
  }
  await sleep(3000);
  const last = kinds(await draw());
  for (const [at, { name }] of STICKY.entries()) t.notSame(last[at], first[at], `${name}: drawn anew after a pause`);
}

/** Three connections in a row: the endpoint that all of them reached, or what else came of them. */
async function endpointOf(scene: Scene, flow: Flow): Promise<string> {
  const outcomes = await send(scene, { ...flow, probe: { ...flow.probe, parallel: 1 } }, 3);
  const texts = new Set(outcomes.map((found) => ("reached" in found ? found.reached : found.failed)));
  const [text = ""] = texts;
  return texts.size === 1 && flow.expected.reached.includes(text) ? `only ${text}` : [...texts].join(", ");
}

function clients(packet: PacketCase, prefix: string): readonly PacketCase[] {
  return Array.from({ length: CLIENTS }, (_, at) => ({ ...packet, from: `${prefix}${20 + at}` }));
}

function linesOf(lines: readonly string[]) {
  return ({ cases }: { readonly cases: readonly PacketCase[] }): readonly PacketCase[] =>
    cases.filter(({ name }) => lines.includes(name));
}

function shares(outcomes: readonly Outcome[], { expected }: Flow): readonly number[] {
  return expected.reached.map(
    (endpoint) => outcomes.filter((found) => "reached" in found && found.reached === endpoint).length,
  );
}
