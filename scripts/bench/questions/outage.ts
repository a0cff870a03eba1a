// Measures how long after an outage of the API server the rules are right again.
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerFault } from "../api-orders.ts";
import { ApiProcess } from "../api-process.ts";
import { monotonic } from "../clock.ts";
import { changedService, manifestsOf, type Size } from "../cluster.ts";
import { BenchDaemon } from "../daemon.ts";
import type { Measurement } from "../measurement.ts";
import type { Subject } from "../subject.ts";

/** Milliseconds: longer than the least gap between two syncs, which is a second. */
const GAP = 2_000;

/** Milliseconds between two looks at the kernel, and until the rules count as never to come. */
const LOOK = 20;
const PATIENCE = 300_000;

/** Bytes of the largest table. */
const MOST = 1 << 30;

/** Milliseconds: what we aim at, after a server that answers again and after packets that were lost silently. */
const TARGET = { back: 1_000, silent: 30_000 };

interface Scene {
  readonly server: ApiProcess;
  readonly size: Size;
}

interface Outage {
  readonly name: string;
  readonly target: number;
  /** Seconds that kube-proxy 1.36.2 took with a real API server, where that is known. */
  readonly kubeProxy?: string;
  /** Has the change written during the fault; gives when the fault was over. */
  readonly happen: (scene: Scene, change: number) => Promise<number>;
}

const OUTAGES: readonly Outage[] = [
  {
    name: "server killed, 10 s down, old versions gone",
    target: TARGET.back,
    kubeProxy: "33 s",
    happen: faulty({ type: "refused", forgets: true }, 10),
  },
  { name: "connection refused for 4 s", target: TARGET.back, happen: faulty({ type: "refused", forgets: false }, 4) },
  {
    name: "429 with Retry-After 1 for 4 s",
    target: TARGET.back,
    kubeProxy: "0 s",
    happen: faulty({ type: "status", code: 429, retryAfter: 1, forgets: false }, 4),
  },
  { name: "429 for 4 s", target: TARGET.back, happen: faulty({ type: "status", code: 429, forgets: false }, 4) },
  { name: "503 for 6 s", target: TARGET.back, happen: faulty({ type: "status", code: 503, forgets: false }, 6) },
  {
    name: "403 for the first second after a restart",
    target: TARGET.back,
    happen: faulty({ type: "status", code: 403, forgets: false }, 1),
  },
  {
    name: "rights withdrawn for 20 s",
    target: 5_000,
    kubeProxy: "11 s",
    happen: faulty({ type: "status", code: 403, forgets: false }, 20),
  },
  { name: "410 on resume", target: TARGET.back, happen: faulty({ type: "refused", forgets: true }, 0) },
  { name: "HTML with status 200 for 4 s", target: TARGET.back, happen: faulty({ type: "html", forgets: false }, 4) },
  {
    name: "server hangs for 40 s",
    target: TARGET.back,
    kubeProxy: "more than 120 s",
    happen: async ({ server }, change) => {
      server.signal("SIGSTOP");
      const written = server.carryOut({ type: "change", change });
      await sleep(40_000);
      server.signal("SIGCONT");
      const end = monotonic();
      await written;
      return end;
    },
  },
  {
    name: "packets of all connections dropped for 40 s",
    target: TARGET.silent,
    happen: async ({ server }, change) => {
      drop([`tcp dport ${server.port}`, `tcp sport ${server.port}`]);
      await sleep(20_000);
      await server.carryOut({ type: "change", change });
      await sleep(20_000);
      passAll();
      return monotonic();
    },
  },
  {
    name: "packets of existing connections dropped, from the change on",
    target: TARGET.silent,
    kubeProxy: "46 s",
    happen: async ({ server }, change) => {
      const flows = localPorts(server.port).join(", ");
      drop([`tcp sport { ${flows} } tcp dport ${server.port}`, `tcp sport ${server.port} tcp dport { ${flows} }`]);
      return (await server.carryOut({ type: "change", change })).at;
    },
  },
];

function faulty(fault: ServerFault, seconds: number): Outage["happen"] {
  return async ({ server }, change) => (await server.carryOut({ type: "outage", fault, seconds, change })).at;
}

/** From the end of each fault until the rules of a change made during the fault are in the kernel. */
export async function askOutage({ size, layout }: Subject): Promise<readonly Measurement[]> {
  const server = await ApiProcess.start(size, "streamed");
  const daemon = new BenchDaemon(server.source, layout);
  await daemon.passed(1);
  const measurements: Measurement[] = [];
  for (const [index, { name, target, kubeProxy, happen }] of OUTAGES.entries()) {
    await sleep(GAP);
    const change = index + 1;
    const end = await happen({ server, size }, change);
    const right = await untilKernelHas(addressAfter(size, change));
    passAll();
    console.error(`  ${name}: ${Math.max(0, right - end).toFixed(0)} ms`);
    const reference = kubeProxy === undefined ? "" : `; kube-proxy ${kubeProxy}`;
    measurements.push({
      question: `outage: ${name}`,
      unit: "ms",
      ours: [Math.max(0, right - end)],
      baseline: [target],
      against: `target${reference}`,
    });
  }
  await daemon.stop();
  return measurements;
}

/** The address of the endpoint that this change brings. */
function addressAfter(size: Size, change: number): string {
  const slice = manifestsOf(changedService(size, change), size, change).find(({ endpoints }) => endpoints);
  return [slice?.endpoints?.[0]?.["addresses"]].flat().join();
}

async function untilKernelHas(address: string): Promise<number> {
  const limit = monotonic() + PATIENCE;
  while (monotonic() < limit) {
    const rules = execFileSync("iptables-save", ["-t", "nat"], { encoding: "utf8", maxBuffer: MOST });
    if (rules.includes(`${address}:`)) return monotonic();
    await sleep(LOOK);
  }
  throw new Error(`no rule for ${address} within ${PATIENCE / 1000} s`);
}

/** Drops packets without an answer, in a table that no proxy looks at. */
function drop(matches: readonly string[]): void {
  const rules = matches.map((match) => `${match} drop`);
  const lines = ["chain input {", "type filter hook input priority -500", ...rules, "}"];
  execFileSync("nft", ["-f", "-"], { input: ["table inet fairlead-bench {", ...lines, "}", ""].join("\n") });
}

function passAll(): void {
  execFileSync("nft", ["-f", "-"], { input: "add table inet fairlead-bench\ndelete table inet fairlead-bench" });
}

/** Ports of the clients of a server on loopback. */
function localPorts(port: number): readonly string[] {
  const lines = execFileSync("ss", ["-Htn", "state", "established", `dport = :${port}`], { encoding: "utf8" });
  return lines.split("\n").flatMap((line) => / \S+:(\d+) +\S+:\d+ *$/.exec(line.trim())?.[1] ?? []);
}
