// How much is sent to the kernel for one change of a large cluster in the Indexed layout?
import "../support/enter-sandbox.ts";

import t from "tap";
import type { Service, ServiceRecord } from "../../src/api/objects.ts";
import type { RunCommand } from "../../src/kernel/command.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { buildEndpoint, buildPort, buildRecord, buildService, buildSlice, buildSnapshot } from "../support/build.ts";
import { ipsetSkipReason } from "../support/ipset-tool.ts";
import { variantSkip } from "../support/iptables-variant.ts";
import { KeptKernel, SYNC_PERIOD } from "../support/kept-kernel.ts";
import { commandHere } from "../support/namespace-command.ts";
import { longMessageSkip } from "../support/sandbox.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(180_000);

const skip = ipsetSkipReason() || variantSkip("nft") || longMessageSkip();

/** Every fourth address is one's, and every tenth of them has a nodePort. */
const SERVICES = 2000;

function addressOf(number: number): string {
  return `10.96.${number >> 6}.${(number & 63) * 4}`;
}

function recordOf(number: number, given: Partial<Service> = {}, hosts = [1, 2, 3]): ServiceRecord {
  const name = `s${String(number).padStart(4, "0")}`;
  const ports = [buildPort({ nodePort: number % 10 === 0 ? 30_000 + number : 0 })];
  const service = buildService({ name, clusterIP: addressOf(number), type: "NodePort", ports, ...given });
  const endpoints = hosts.map((host) => buildEndpoint(`10.1.${number >> 6}.${(number & 63) * 4 + host}`));
  return buildRecord(service, buildSlice(endpoints, { service: name, name: `${name}-1` }));
}

/** What the last pass sent. */
interface Sent {
  /** Chains that were written, and that went; names of Services' own without their hashes. */
  readonly chains: readonly string[];
  readonly gone: readonly string[];
  readonly rules: number;
  /** Entries of sets that came (`+`) and went (`-`). */
  readonly entries: readonly string[];
  readonly restores: number;
}

function sentBy({ last }: KeptKernel): Sent {
  const steps = last?.attempts.flatMap(({ plan }) => plan.steps) ?? [];
  const restores = steps.filter((step) => step.kind === "iptables");
  const changes = restores.flatMap((step) => step.changes);
  const name = (table: string, chain: string) => `${table} ${chain.replace(/(SVC|EXT)-[A-Z2-7]{16}$/, "$1")}`;
  const gone = changes.flatMap(({ table, remove }) => remove.map((chain) => name(table, chain)));
  const sets = steps.flatMap((step) => (step.kind === "sets" ? step.changes : []));
  return {
    chains: changes
      .flatMap(({ table, clear }) => clear.map((chain) => name(table, chain)))
      .filter((one) => !gone.includes(one)),
    gone,
    rules: changes.reduce((sum, { rules }) => sum + [...rules].length, 0),
    entries: sets.flatMap((change) => {
      if (change.kind !== "add" && change.kind !== "remove") return [change.kind];
      const [sign, set] = [change.kind === "add" ? "+" : "-", change.set.name.replace("KUBE-IX-", "")];
      return [...change.entries].map((entry) => `${sign}${set} ${entry}`);
    }),
    restores: restores.length,
  };
}

interface Change {
  readonly name: string;
  readonly number: number;
  /** Absent: the Service goes. */
  readonly record?: ServiceRecord;
  readonly sent: Sent;
}

const LEAF = "nat KUBE-IX-S-10.96.7.40-29";
const NO_CHAINS = { chains: [], gone: [] };

/** One Service at a time is not as it was. */
const CHANGES: readonly Change[] = [
  {
    name: "an endpoint in place of another: the Service's chain, and an entry in and out",
    number: 777,
    record: recordOf(777, {}, [1, 2, 0]),
    sent: {
      ...NO_CHAINS,
      chains: ["nat KUBE-IX-SVC"],
      rules: 3,
      entries: ["+LOOP-BACK 10.1.12.36,tcp:8080,10.1.12.36", "-LOOP-BACK 10.1.12.39,tcp:8080,10.1.12.39"],
      restores: 1,
    },
  },
  {
    name: "a Service more: its chain, and one leaf",
    number: 2501,
    record: recordOf(2501, { clusterIP: "10.96.7.41" }),
    sent: {
      ...NO_CHAINS,
      chains: [LEAF, "nat KUBE-IX-SVC"],
      rules: 6,
      entries: [
        "+CLUSTER-IP 10.96.7.41,tcp:80",
        "+LOOP-BACK 10.1.39.21,tcp:8080,10.1.39.21",
        "+LOOP-BACK 10.1.39.22,tcp:8080,10.1.39.22",
        "+LOOP-BACK 10.1.39.23,tcp:8080,10.1.39.23",
      ],
      restores: 1,
    },
  },
  {
    name: "a Service less: the same the other way round",
    number: 2501,
    sent: {
      chains: [LEAF],
      gone: ["nat KUBE-IX-SVC"],
      rules: 2,
      entries: [
        "-CLUSTER-IP 10.96.7.41,tcp:80",
        "-LOOP-BACK 10.1.39.21,tcp:8080,10.1.39.21",
        "-LOOP-BACK 10.1.39.22,tcp:8080,10.1.39.22",
        "-LOOP-BACK 10.1.39.23,tcp:8080,10.1.39.23",
      ],
      restores: 1,
    },
  },
  {
    name: "a nodePort more: one leaf of the other index",
    number: 778,
    record: recordOf(778, { ports: [buildPort({ nodePort: 30_777 })] }),
    sent: {
      ...NO_CHAINS,
      chains: ["nat KUBE-IX-EXT", "nat KUBE-IX-N-TCP-30720-30783"],
      rules: 10,
      entries: [],
      restores: 1,
    },
  },
  {
    name: "no endpoint any more: refused in the other table",
    number: 779,
    record: recordOf(779, {}, []),
    sent: {
      chains: ["filter KUBE-SERVICES", "nat KUBE-IX-S-10.96.12.40-29"],
      gone: ["nat KUBE-IX-SVC"],
      rules: 2,
      entries: [
        "-CLUSTER-IP 10.96.12.44,tcp:80",
        "-LOOP-BACK 10.1.12.45,tcp:8080,10.1.12.45",
        "-LOOP-BACK 10.1.12.46,tcp:8080,10.1.12.46",
        "-LOOP-BACK 10.1.12.47,tcp:8080,10.1.12.47",
      ],
      restores: 1,
    },
  },
  {
    name: "the same Services in new objects: nothing",
    number: 779,
    record: recordOf(779, {}, []),
    sent: { ...NO_CHAINS, rules: 0, entries: [], restores: 0 },
  },
];

t.test(`${SERVICES} Services`, { skip }, async (t) => {
  const programs: string[] = [];
  const kept = new KeptKernel({ family: "IPv4", variant: "nft", kernel: machine(counted(programs)), mode: "Indexed" });
  const records = new Map(Array.from({ length: SERVICES }, (_, number) => [number, recordOf(number)] as const));
  const show = async () => t.notOk(await kept.keep(buildSnapshot([...records.values()])), "accepted");
  await show();
  for (const { name, number, record, sent } of CHANGES) {
    if (record) records.set(number, record);
    else records.delete(number);
    await show();
    t.strictSame(sentBy(kept), sent, name);
  }

  programs.length = 0;
  await kept.clock.advance(SYNC_PERIOD);
  await show();
  t.strictSame(programs, [], "where nothing changes no program is started");
  kept.keeper.forget();
  await show();
  t.equal(kept.last?.scope, "full");
  t.strictSame(programs, ["iptables-save"], "and a look at everything finds nothing to do");
});

function counted(programs: string[]): RunCommand {
  const run = commandHere("nft");
  return (command) => {
    programs.push(command.program);
    return run(command);
  };
}
