// CPU time and memory of the proxy while Services are created and while EndpointSlices change, through an API server.
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiProcess } from "../api-process.ts";
import { manifestsAfter, type Size } from "../cluster.ts";
import { BenchDaemon, type CpuTime, REST, type Weight } from "../daemon.ts";
import { findDifference, rulesFor } from "../kernel-check.ts";
import { KubeProxy } from "../kube-proxy.ts";
import type { Measurement } from "../measurement.ts";
import type { Layout, Subject } from "../subject.ts";

/** Seconds in which all Services are created. */
const CREATION = 25;

/** EndpointSlice changes: per second, and for how many seconds. */
const RATE = 100;
const CHURN = 30;

/** Services that exist before the others are created. */
const FIRST = 10;

/** Milliseconds between two comparisons of the kernel, and until they are given up. */
const POLL = 2_000;
const PATIENCE = 300_000;

/** A running proxy, ours or kube-proxy. */
interface Proxy {
  cpu(): CpuTime;
  weigh(): Weight;
  stop(): Promise<void>;
}

/** CPU milliseconds and memory of one proxy. */
interface Figures {
  readonly creation: CpuTime;
  readonly churn: CpuTime;
  /** CPU time of the last quiet half minute. */
  readonly quiet: CpuTime;
  readonly resting: Weight;
  readonly afterCreation: Weight;
  readonly afterChurn: Weight;
  readonly restingAgain: Weight;
}

/** Rejects when the kernel does not have the right rules in the end. */
export async function askLoad({ size, layout, kubeProxyBinary }: Subject): Promise<readonly Measurement[]> {
  const ours = await measure(size, layout, (source) => new BenchDaemon(source, layout));
  if (kubeProxyBinary === undefined) return measurementsOf(ours, undefined);
  removeRules();
  const theirs = await measure(size, "Compat", ([, kubeconfig = ""]) => new KubeProxy(kubeProxyBinary, kubeconfig));
  return measurementsOf(ours, theirs);
}

async function measure(size: Size, layout: Layout, start: (source: readonly string[]) => Proxy): Promise<Figures> {
  const server = await ApiProcess.start({ ...size, services: Math.min(FIRST, size.services) }, "streamed");
  const before = await rulesFor(manifestsAfter({ ...size, services: Math.min(FIRST, size.services) }, 0), layout);
  const created = await rulesFor(manifestsAfter(size, 0), layout);
  const changed = await rulesFor(manifestsAfter(size, RATE * CHURN), layout);
  const proxy = start(server.source);
  await untilRight(before);
  await sleep(REST);
  const started = proxy.cpu();
  await server.carryOut({ type: "create", services: size.services, seconds: CREATION });
  await untilRight(created);
  const [creation, afterCreation] = [since(started, proxy.cpu()), proxy.weigh()];
  await sleep(REST);
  const [rested, resting] = [proxy.cpu(), proxy.weigh()];
  await server.carryOut({ type: "churn", first: 1, rate: RATE, seconds: CHURN });
  await untilRight(changed);
  const [churn, afterChurn] = [since(rested, proxy.cpu()), proxy.weigh()];
  await sleep(REST);
  const again = proxy.cpu();
  await sleep(REST);
  const [quiet, restingAgain] = [since(again, proxy.cpu()), proxy.weigh()];
  await proxy.stop();
  await server.stop();
  return { creation, churn, quiet, resting, afterCreation, afterChurn, restingAgain };
}

function measurementsOf(ours: Figures, theirs: Figures | undefined): readonly Measurement[] {
  const against = theirs ? "kube-proxy, same changes" : "no kube-proxy given";
  const row = (question: string, unit: "ms" | "MB", figure: (of: Figures) => number): Measurement => {
    return {
      question: `load: ${question}`,
      unit,
      ours: [figure(ours)],
      baseline: [theirs ? figure(theirs) : 0],
      against,
    };
  };
  const times = (name: string, of: (figures: Figures) => CpuTime): readonly Measurement[] => [
    row(`${name}: CPU`, "ms", (figures) => of(figures).own + of(figures).children),
    row(`${name}: CPU of the proxy itself`, "ms", (figures) => of(figures).own),
  ];
  return [
    ...times("Services created", ({ creation }) => creation),
    ...times("slices changed", ({ churn }) => churn),
    ...times("quiet for 30 s", ({ quiet }) => quiet),
    row("resident memory, before the changes", "MB", ({ resting }) => resting.now),
    row("resident memory, after the changes", "MB", ({ restingAgain }) => restingAgain.now),
    row("peak memory, after the creation", "MB", ({ afterCreation }) => afterCreation.peak),
    row("peak memory, after the changes", "MB", ({ afterChurn }) => afterChurn.peak),
  ];
}

/** Polls the kernel: kube-proxy does not log the end of a sync. */
async function untilRight(wanted: ReadonlySet<string>): Promise<void> {
  for (let waited = 0; ; waited += POLL) {
    await sleep(POLL);
    const difference = findDifference(wanted);
    if (difference === undefined) return;
    if (waited > PATIENCE) throw new Error(difference);
  }
}

function removeRules(): void {
  spawnSync("iptables-restore", [], { input: "*nat\nCOMMIT\n*filter\nCOMMIT\n*mangle\nCOMMIT\n" });
}

function since(before: CpuTime, after: CpuTime): CpuTime {
  return { own: after.own - before.own, children: after.children - before.children };
}
