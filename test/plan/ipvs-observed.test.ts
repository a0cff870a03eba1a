// The steps that follow from a full observation of sets, virtual servers and addresses.
import t from "tap";
import { stepsOf } from "../../src/plan/ipvs-changes.ts";
import { diffObserved } from "../../src/plan/ipvs-observed.ts";
import { printPlan } from "../../src/plan/print.ts";
import { settingsChange } from "../../src/plan/server-difference.ts";
import type { SetHeader } from "../../src/state/ip-set.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import {
  buildIpvsState,
  buildObserved,
  buildReal,
  buildServed,
  buildServer,
  CLUSTER_IP,
  foundServer,
  IPVS_IPS,
  type Observed,
} from "../support/build-ipvs.ts";

const WANTED = buildIpvsState([buildServed("10.0.0.1", ["10.1.0.1"])]);
const SERVER = buildServer("10.0.0.1", ["10.1.0.1"]);
const SETS = [
  { ...CLUSTER_IP, entries: new Set(["10.0.0.1,tcp:80"]) },
  { ...IPVS_IPS, entries: new Set(["10.0.0.1"]) },
];
const RIGHT: Partial<Observed> = { sets: SETS, servers: [foundServer(SERVER)], addresses: ["10.0.0.1"] };

interface Case {
  readonly name: string;
  readonly found: Partial<Observed>;
  readonly wanted?: KernelState;
  readonly is: readonly string[];
}

const FRESH = [
  "+ interface kube-ipvs0",
  "+ ipset KUBE-CLUSTER-IP hash:ip,port",
  "+ ipset KUBE-IPVS-IPS hash:ip",
  "+ ipvs 10.0.0.1:80/TCP rr",
  "+ ipvs 10.0.0.1:80/TCP to 10.1.0.1:8080 weight 1",
  "+ kube-ipvs0 10.0.0.1",
  "+ ipset KUBE-CLUSTER-IP 10.0.0.1,tcp:80",
  "+ ipset KUBE-IPVS-IPS 10.0.0.1",
];

const CASES: readonly Case[] = [
  { name: "a fresh node gets all of it, sets before what is in them", found: { devices: [], sets: [] }, is: FRESH },
  { name: "nothing is done where all is right", found: RIGHT, is: [] },
  {
    name: "what goes from a set goes before what comes",
    found: { ...RIGHT, sets: [{ ...CLUSTER_IP, entries: new Set(["10.0.0.9,tcp:80"]) }, ...SETS.slice(1)] },
    is: ["- ipset KUBE-CLUSTER-IP 10.0.0.9,tcp:80", "+ ipset KUBE-CLUSTER-IP 10.0.0.1,tcp:80"],
  },
  {
    name: "a missing set is made anew, with its entries",
    found: { ...RIGHT, sets: SETS.slice(1) },
    is: ["+ ipset KUBE-CLUSTER-IP hash:ip,port", "+ ipset KUBE-CLUSTER-IP 10.0.0.1,tcp:80"],
  },
  {
    name: "an address goes before its virtual server",
    found: {
      ...RIGHT,
      servers: [foundServer(SERVER), foundServer(buildServer("10.0.0.9", ["10.1.0.9"]), 4)],
      addresses: ["10.0.0.1", "10.0.0.9"],
    },
    is: ["- kube-ipvs0 10.0.0.9", "- ipvs 10.0.0.9:80/TCP"],
  },
  {
    name: "other settings are set, real servers are left alone",
    found: { ...RIGHT, servers: [foundServer({ ...SERVER, scheduler: "wlc" })] },
    is: ["+ ipvs 10.0.0.1:80/TCP rr"],
  },
  {
    name: "a real server too many drains",
    found: { ...RIGHT, servers: [foundServer(buildServer("10.0.0.1", ["10.1.0.1", "10.1.0.2"]), 1)] },
    is: ["- ipvs 10.0.0.1:80/TCP to 10.1.0.2:8080 once it has no connection"],
  },
  {
    name: "a virtual server of others is spared where it is said, with all that is behind it, and its address is not",
    found: {
      ...RIGHT,
      servers: [foundServer(SERVER), foundServer(buildServer("10.50.0.1", ["10.1.0.9"]))],
      addresses: ["10.0.0.1", "10.50.0.1"],
    },
    wanted: buildIpvsState([...WANTED.fragments], { spared: ["10.51.0.0/16", "10.50.0.0/16"] }),
    is: ["- kube-ipvs0 10.50.0.1"],
  },
  {
    name: "a link-local address is the kernel's own",
    found: { ...RIGHT, addresses: ["10.0.0.1", "fe80::5", "fd00::5"] },
    is: ["- kube-ipvs0 fd00::5"],
  },
];

function stepsFor({ wanted = WANTED, found }: Pick<Case, "wanted" | "found">, initial = false) {
  if (wanted.ipvs?.kind !== "wanted") throw new Error("no such state");
  const pair = { state: wanted, wanted: wanted.ipvs, found: buildObserved(found).ipvs };
  const { early, late } = stepsOf(diffObserved(pair, { initial, draining: new Set() }));
  return [...printPlan({ steps: [...early, ...late], kept: [] })];
}

for (const { name, is, ...given } of CASES) t.test(name, async (t) => t.strictSame(stepsFor(given), is));

t.test("a state without an interface has none made", async (t) => {
  t.strictSame(stepsFor({ wanted: buildIpvsState([], { devices: [] }), found: {} }), []);
});

const SMALL: SetHeader = { ...CLUSTER_IP, maxEntries: 2 };

t.test("a set of another size is replaced by one that has its entries, before entries change", async (t) => {
  const sets = [{ ...SMALL, entries: new Set(["10.0.0.9,tcp:80"]) }, ...SETS.slice(1)];
  t.strictSame(stepsFor({ found: { ...RIGHT, sets } }), [
    "- ipset KUBE-SCRATCH",
    "+ ipset KUBE-SCRATCH hash:ip,port",
    "+ ipset KUBE-SCRATCH 10.0.0.9,tcp:80",
    "+ ipset KUBE-CLUSTER-IP is KUBE-SCRATCH, and the other way round",
    "- ipset KUBE-SCRATCH",
    "- ipset KUBE-CLUSTER-IP 10.0.0.9,tcp:80",
    "+ ipset KUBE-CLUSTER-IP 10.0.0.1,tcp:80",
  ]);
});

t.test("a set that is larger than ours and too full gives up only entries that nobody needs", async (t) => {
  const sets = [SMALL, IPVS_IPS];
  const found = [
    { ...CLUSTER_IP, entries: new Set(["10.0.0.7,tcp:80", "10.0.0.8,tcp:80", "10.0.0.1,tcp:80"]) },
    ...SETS.slice(1),
  ];
  const wanted = buildIpvsState([...WANTED.fragments], { sets });
  const steps = stepsFor({ wanted, found: { ...RIGHT, sets: found } });
  t.strictSame(
    steps.filter((step) => /^[+-] ipset \S+ 10/.test(step)),
    ["+ ipset KUBE-SCRATCH 10.0.0.1,tcp:80"],
  );
});

t.test("an IPv6 set has a replacement with another name, and so has a bitmap of another range", async (t) => {
  const set = { name: "KUBE-6-NODE-PORT-TCP", type: "bitmap:port", family: "none" } as const;
  const wanted = buildIpvsState([], { sets: [set] });
  const sets = [{ ...set, range: "0-1023", entries: new Set(["80"]) }];
  const steps = stepsFor({ wanted, found: { sets } });
  t.ok(steps.includes("+ ipset KUBE-6-SCRATCH 80"));
});

for (const [name, other, words] of [
  ["type", { ...IPVS_IPS, name: CLUSTER_IP.name, entries: new Set<string>() }, "type hash:ip, expected hash:ip,port"],
  ["family", { ...CLUSTER_IP, family: "inet6", entries: new Set<string>() }, "family inet6, expected inet"],
] as const) {
  t.test(`a set of another ${name} is not taken for ours`, async (t) => {
    t.strictSame(conflictsFor({ ...RIGHT, sets: [other, ...SETS.slice(1)] }), [{ set: CLUSTER_IP, words }]);
  });
}

t.test("neither is a set with options", async (t) => {
  const otherSets = [{ ...CLUSTER_IP, options: ["timeout 300", "counters"] }];
  t.strictSame(conflictsFor({ ...RIGHT, sets: SETS.slice(1), otherSets }), [
    { set: CLUSTER_IP, words: "timeout 300 counters, expected no such option" },
  ]);
});

function conflictsFor(found: Partial<Observed>) {
  if (WANTED.ipvs?.kind !== "wanted") throw new Error("no such state");
  const pair = { state: WANTED, wanted: WANTED.ipvs, found: buildObserved(found).ipvs };
  return diffObserved(pair, { initial: false, draining: new Set() }).conflicts;
}

t.test("weights are mended at a start, and where they were taken away", async (t) => {
  const found = {
    ...RIGHT,
    servers: [foundServer({ ...SERVER, realServers: [buildReal("10.1.0.1", { weight: 0 })] })],
  };
  t.strictSame(stepsFor({ found }), []);
  t.strictSame(stepsFor({ found }, true), ["+ ipvs 10.0.0.1:80/TCP to 10.1.0.1:8080 weight 1"]);
});

const { realServers: _, ...SETTINGS } = SERVER;

for (const other of [{ scheduler: "sh" }, { schedulerFlags: 0x10 }, { persistence: 600 }, { otherFlags: 4 }]) {
  t.test(`${JSON.stringify(other)} is set right`, async (t) => {
    t.match(settingsChange(SERVER, { ...SETTINGS, ...other }), { kind: "set-server", server: SETTINGS });
    t.match(settingsChange({ ...SERVER, ...other }, SETTINGS), {
      kind: "set-server",
      server: { ...SETTINGS, ...other },
    });
  });
}

t.test("a flag that says nothing is none", async (t) => {
  t.equal(settingsChange(SERVER, { ...SETTINGS, otherFlags: 0 }), undefined);
});
