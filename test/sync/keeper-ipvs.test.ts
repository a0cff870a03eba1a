// IPVS mode: when the kernel is observed, which rejected items are skipped, and how real servers drain.
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { type Kernel, machine } from "../../src/kernel/kernel.ts";
import type { Fragment, KernelState } from "../../src/state/kernel-state.ts";
import type { VirtualServer } from "../../src/state/virtual-server.ts";
import { LOOK_AGAIN } from "../../src/sync/draining.ts";
import { Keeper, refusalIn } from "../../src/sync/keeper.ts";
import { createLog } from "../../src/sync/log.ts";
import { PassLog } from "../../src/sync/pass-log.ts";
import { buildIpvsState, buildServed, buildServer, CLUSTER_IP, IPVS_IPS } from "../support/build-ipvs.ts";
import { HandClock } from "../support/clock.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { differences, foundLines, wantedLines } from "../support/ipvs-lines.ts";
import { IpvsMemory } from "../support/ipvs-memory.ts";
import { IPVS_BACKEND } from "../support/templates.ts";

const PERIOD = 30_000;
/** When a verification is due: early enough for a repair, at the sixth of a period that both families share. */
const DUE = 25_000;

/** Milliseconds until a rejected item is tried again. */
const FIRST_RETRY = 2_000;
const EINVAL = 22;

/** `meddle`: what somebody does before each look. */
function setUp(memory = new IpvsMemory(), meddle = async () => {}) {
  const tools = new FakeIptables();
  const clock = new HandClock();
  const lines: string[] = [];
  const rules = { moved: false };
  const known = machine(tools.run, memory);
  const observe: Kernel["observe"] = async (...asked) => {
    await meddle();
    return known.observe(...asked);
  };
  const observeInBackground: Kernel["observeInBackground"] = async (...asked) => {
    await meddle();
    return known.observeInBackground(...asked);
  };
  const seen = { looks: 0 };
  // Without a foreign change of rules a verification reads no rules.
  const ipvs: Kernel["ipvs"] = async (...asked) => {
    await meddle();
    seen.looks += 1;
    return known.ipvs(...asked);
  };
  const kernel = { ...known, observe, observeInBackground, ipvs, moved: async () => rules.moved };
  const keeper = new Keeper({ kernel, backend: IPVS_BACKEND, variant: "nft" }, { clock, syncPeriod: PERIOD });
  const log = createLog("text", (line) => lines.push(line))("pass.ts");
  const passLog = new PassLog({ family: "IPv4", mode: "ipvs", clock, log });
  /** Changes that are made, looks, and what is not as wanted afterwards. */
  const keep = async (state: KernelState, wait = 0) => {
    await clock.advance(wait);
    tools.log.length = 0;
    seen.looks = 0;
    memory.journal.changes.length = 0;
    await keeper.verify();
    const kept = await keeper.keep(state);
    const { changes } = memory.journal;
    passLog.end(kept);
    const wrong = differences(foundLines(await memory.look("IPv4", [CLUSTER_IP, IPVS_IPS])), wantedLines(state));
    const saves = tools.log.filter(({ program }) => program.endsWith("-save")).length;
    const looks = seen.looks + saves;
    return { kept, refused: refusalIn(kept)?.step, changes: [...changes], looks, saves, wrong };
  };
  const errors = () => lines.splice(0).filter((line) => /^[EW]/.test(line));
  return { keeper, clock, memory, tools, rules, keep, errors };
}

const stateOf = (...fragments: readonly Fragment[]) => buildIpvsState(fragments);
const [A, B] = [buildServed("10.0.0.1", ["10.1.0.1", "10.1.0.2"]), buildServed("10.0.0.2", ["10.1.0.1"])];
const LESS = buildServed("10.0.0.1", ["10.1.0.1"]);

t.test("the kernel is verified once in a sync period, with or without a change, and not between", async (t) => {
  const { keep } = setUp();
  const first = await keep(stateOf(A));
  t.match(first, { looks: 1, wrong: [], kept: { scope: "full", drift: undefined } });
  t.match(await keep(stateOf(A)), { looks: 0, changes: [] });
  t.match(await keep(stateOf(A, B), DUE - 1), { looks: 0, wrong: [], kept: { scope: "partial" } });
  t.match(await keep(stateOf(A), 1), { looks: 1, wrong: [], kept: { scope: "partial", drift: undefined } });
  t.match(await keep(stateOf(A), DUE), { looks: 1, changes: [] });
});

t.test("a restart sends nothing", async (t) => {
  const { memory, keep } = setUp();
  await keep(stateOf(A, B));
  const again = setUp(memory);
  t.match(await again.keep(stateOf(A, B)), { looks: 1, changes: [], wrong: [] });
});

t.test("what somebody else changed is restored and told", async (t) => {
  const { memory, keep, errors } = setUp();
  await keep(stateOf(A));
  const { realServers: _, ...server } = buildServer("10.0.0.1", []);
  await memory.edit(
    { kind: "unbind", device: "kube-ipvs0", addresses: ["10.0.0.1"] },
    { kind: "servers", changes: [{ kind: "remove-server", server }] },
  );
  t.match(await keep(stateOf(A), PERIOD), { wrong: [] });
  t.match(errors(), [/"Other software changed our rules; restored them".*lines=4/]);
});

t.test("an operator's weight stays until a restart", async (t) => {
  const { memory, keep } = setUp();
  await keep(stateOf(LESS));
  const { realServers, ...server } = buildServer("10.0.0.1", ["10.1.0.1"]);
  const changes = realServers.map((real) => ({ kind: "set-real", server, real: { ...real, weight: 7 } }) as const);
  await memory.edit({ kind: "servers", changes });
  t.match(await keep(stateOf(LESS), PERIOD), { changes: [], wrong: [/^- .* weight 1$/, /^\+ .* weight 7$/] });
  t.match(await setUp(memory).keep(stateOf(LESS)), { changes: [/^set-real .* weight 1$/], wrong: [] });
});

t.test("what is refused is done without, the rest is there, and it is tried again", async (t) => {
  const { keeper, memory, keep, errors } = setUp();
  memory.journal.refuses = (change) => (change === "bind 10.0.0.2/32" ? EINVAL : 0);
  const { kept, refused, wrong } = await keep(stateOf(A, B));
  t.equal(refused, undefined);
  t.strictSame(
    kept.items.map(({ key }) => key),
    ["10.0.0.2"],
  );
  t.strictSame(wrong, [
    "- address 10.0.0.2",
    "- entry KUBE-IPVS-IPS 10.0.0.2",
    "- real 10.0.0.2:80/TCP to 10.1.0.1 8080 masquerade weight 1",
    "- server 10.0.0.2:80/TCP rr 0 0 0",
  ]);
  t.match(errors(), [/Kernel rejected this item; skipping it and retrying later" .*item="10.0.0.2" .*code="EINVAL"/]);
  t.match(keeper.withheld, [{ key: "10.0.0.2" }]);
  t.match(await keep(stateOf(A, B), FIRST_RETRY - 1), { looks: 0, changes: [] });
  t.match(
    await keep(stateOf(LESS, B)),
    { looks: 0, changes: [/^set-real/, /^remove-real/] },
    "nobody else waits for it",
  );
  const again = await keep(stateOf(LESS, B), 1);
  t.equal(again.changes.filter((change) => change === "bind 10.0.0.2/32").length, 1, "one more try");
  t.equal(again.wrong.length, 4);
  t.match(errors(), [/10\.0\.0\.2/]);
  memory.journal.refuses = () => 0;
  t.match(
    await keep(stateOf(LESS, B), 2 * FIRST_RETRY - 1),
    { looks: 0, changes: [] },
    "the second wait is twice as long",
  );
  t.match(await keep(stateOf(LESS, B), 1), { wrong: [], kept: { drift: undefined } });
  t.strictSame([keeper.withheld, errors()], [[], []]);
  t.match(await keep(stateOf(LESS, B)), { looks: 0, changes: [] }, "and it is over");
});

t.test("what a change meets that was thought otherwise is looked at, and nobody is done without", async (t) => {
  const { keeper, memory, keep, errors } = setUp();
  await keep(stateOf(LESS, B));
  const { realServers: _, ...server } = buildServer("10.0.0.1", []);
  await memory.edit({ kind: "servers", changes: [{ kind: "remove-server", server }] });
  const { kept, wrong, looks } = await keep(stateOf(A, B));
  t.strictSame([wrong, looks, kept.items, keeper.withheld], [[], 1, [], []]);
  t.strictSame(errors(), []);
});

t.test("what is refused behind something that is refused is found too", async (t) => {
  const { keeper, memory, keep } = setUp();
  memory.journal.refuses = (change) => (/^(?:add-real|add KUBE-CLUSTER-IP) .*10\.0\.0\.2/.test(change) ? EINVAL : 0);
  const { wrong } = await keep(stateOf(A, B));
  t.strictSame(wrong, [
    "- entry KUBE-CLUSTER-IP 10.0.0.2,tcp:80",
    "- entry KUBE-IPVS-IPS 10.0.0.2",
    "- real 10.0.0.2:80/TCP to 10.1.0.1 8080 masquerade weight 1",
  ]);
  t.equal(keeper.withheld.length, 2);
});

t.test("a kernel that refuses something new each time is given up, and looked at again", async (t) => {
  let looks = 0;
  const memory = new IpvsMemory();
  const meddle = async () => {
    looks += 1;
    const address = `10.0.0.${looks}`;
    memory.journal.refuses = (change) => (change === `bind ${address}/32` ? EINVAL : 0);
    await memory.edit({ kind: "unbind", device: "kube-ipvs0", addresses: [address] });
  };
  const { keeper, keep } = setUp(memory, meddle);
  const state = stateOf(...[1, 2, 3, 4, 5].map((last) => buildServed(`10.0.0.${last}`, [])));
  const { kept, refused } = await keep(state);
  t.strictSame(
    kept.items.map(({ key }) => key),
    ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"],
  );
  t.strictSame([keeper.held, refused, looks], [undefined, undefined, 4]);
  looks = 1_000;
  t.match(await keep(state, 20 * PERIOD), { looks: 1, wrong: [] });
  t.ok(keeper.held);
});

t.test("a step that is refused behind single things is a failure, which a look heals", async (t) => {
  let looks = 0;
  const memory = new IpvsMemory();
  const meddle = async () => {
    looks += 1;
    if (looks === 2) await memory.edit({ kind: "remove-device", name: "kube-ipvs0" });
  };
  const { keeper, keep } = setUp(memory, meddle);
  memory.journal.refuses = (change) => {
    if (change === "link kube-ipvs0" && looks > 1) return 12;
    return change === "bind 10.0.0.2/32" ? EINVAL : 0;
  };
  t.match((await keep(stateOf(A, B))).refused, { kind: "device" });
  t.equal(keeper.held, undefined);
  memory.journal.refuses = () => 0;
  t.match(await keep(stateOf(A, B), 1), { looks: 1, refused: undefined });
  t.match(await keep(stateOf(A, B), PERIOD), { wrong: [] });
});

t.test("what is to go and does not is told, and nothing waits for it", async (t) => {
  const { keeper, memory, keep, errors } = setUp();
  await keep(stateOf(A, B));
  memory.journal.refuses = (change) => (change === "unbind 10.0.0.2/32" ? EINVAL : 0);
  const { wrong, refused } = await keep(stateOf(A));
  t.strictSame([wrong, refused], [["+ address 10.0.0.2"], undefined]);
  t.match(errors(), [/item="10\.0\.0\.2"/]);
  t.ok(keeper.held, "the rest is believed");
  t.match(await keep(stateOf(LESS)), { looks: 0, wrong: ["+ address 10.0.0.2"] });
  memory.journal.refuses = () => 0;
  t.match(await keep(stateOf(LESS), 2 * PERIOD), { wrong: [] });
});

t.test("connections end before their real server goes, at a look each minute", async (t) => {
  const { keeper, memory, keep, errors } = setUp();
  await keep(stateOf(A));
  memory.connect("10.1.0.2", 8080, 2);
  t.match(await keep(stateOf(LESS), 10_000), { looks: 0, changes: [/^set-real .*10\.1\.0\.2:8080 weight 0$/] });
  t.equal(keeper.nextLook, LOOK_AGAIN);
  t.match(await keep(stateOf(LESS), 20_000), { looks: 1, changes: [] }, "a verification that finds it busy");
  t.equal(keeper.nextLook, LOOK_AGAIN - 20_000);
  memory.connect("10.1.0.2", 8080, 0);
  const { changes, kept, wrong } = await keep(stateOf(LESS), 40_000);
  t.match(changes, [/^set-real .* weight 0$/, /^remove-real .*10\.1\.0\.2:8080$/]);
  t.strictSame([kept.drift, wrong, keeper.nextLook, errors()], [undefined, [], undefined, []], "and nobody's doing");
});

t.test("a look at draining real servers between two verifications asks for those alone", async (t) => {
  const { keeper, memory, keep } = setUp();
  await keep(stateOf(A));
  memory.connect("10.1.0.2", 8080, 2);
  await keep(stateOf(LESS));
  t.match(await keep(stateOf(LESS), 40_000), { looks: 1, changes: [] });
  memory.connect("10.1.0.2", 8080, 0);
  t.match(await keep(stateOf(LESS), LOOK_AGAIN - 40_000), {
    looks: 0,
    wrong: [],
    changes: [/weight 0$/, /^remove-real/],
  });
  t.equal(keeper.nextLook, undefined);
});

t.test("one that drains and is wanted again has its weight again, whatever went wrong meanwhile", async (t) => {
  const { keeper, memory, keep } = setUp();
  await keep(stateOf(A));
  memory.connect("10.1.0.2", 8080, 2);
  await keep(stateOf(LESS));
  const broken = buildIpvsState([A], { sets: [CLUSTER_IP, { ...IPVS_IPS, name: "KUBE-BROKEN" }] });
  memory.journal.refuses = (change) => (change === "create KUBE-BROKEN" ? 17 : 0);
  keeper.forget();
  t.match((await keep(broken, LOOK_AGAIN)).refused, { kind: "sets" });
  t.equal(keeper.held, undefined, "a pass that failed");
  t.match(await keep(stateOf(A)), { wrong: [], changes: [/^set-real .*10\.1\.0\.2:8080 weight 1$/] });
  t.equal(keeper.nextLook, LOOK_AGAIN);
  t.match(await keep(stateOf(A), LOOK_AGAIN), { wrong: [], changes: [] });
  t.equal(keeper.nextLook, undefined);
});

t.test("weights that were taken away before an answer was lost are given back", async (t) => {
  const { keeper, memory, keep } = setUp();
  await keep(stateOf(A));
  let asked = 0;
  memory.loses = (protocol) => (protocol === "generic" && ++asked > 1 ? "answer" : undefined);
  await t.rejects(keep(stateOf(LESS)), KernelError);
  keeper.forget();
  memory.loses = undefined;
  t.match(await keep(stateOf(A)), { wrong: [], changes: [/^set-real .*10\.1\.0\.2:8080 weight 1$/] });
});

t.test("an answer that is lost once is made up for in the same pass", async (t) => {
  const { memory, keep, errors } = setUp();
  await keep(stateOf(A));
  let asked = 0;
  memory.loses = (protocol) => (protocol === "generic" && ++asked === 2 ? "answer" : undefined);
  t.match(await keep(stateOf(LESS, B)), { wrong: [], looks: 1 });
  t.match(errors(), [/^W.*"Kernel rejected a change; trying again" .*code="ETIMEDOUT"/]);
});

t.test("a lost answer to the look itself is a failure", async (t) => {
  const { memory, keep } = setUp();
  memory.loses = (protocol) => (protocol === "route" ? "request" : undefined);
  await t.rejects(keep(stateOf(A)), KernelError);
  memory.loses = undefined;
  t.match(await keep(stateOf(A)), { wrong: [], looks: 1 });
});

t.test("rules that are refused are nobody's: no Service is set aside for them", async (t) => {
  const { keeper, keep, errors } = setUp();
  const chain = { name: "KUBE-SERVICES", hold: "ours", rules: [{ line: "-A KUBE-SERVICES -j NOWHERE" }] } as const;
  const state: KernelState = { ...stateOf(A), tables: new Map([["nat", new Map([[chain.name, chain]])]]) };
  t.match((await keep(state)).refused, { kind: "iptables" });
  t.strictSame(keeper.setAside, []);
  t.match(errors(), [/^W.*trying again/s, /"Kernel rejected a change; the rules in the kernel stay.*step="iptables"/s]);
});

for (const [name, made, words] of [
  ["type", { ...IPVS_IPS, name: CLUSTER_IP.name }, "KUBE-CLUSTER-IP (type hash:ip, expected hash:ip,port)"],
  ["family", { ...CLUSTER_IP, family: "inet6" }, "KUBE-CLUSTER-IP (family inet6, expected inet)"],
] as const) {
  t.test(`a set of ours with another ${name} fails the sync with one error, and nothing is written`, async (t) => {
    const { keeper, memory, keep, errors } = setUp();
    await memory.edit({ kind: "sets", changes: [{ kind: "create", set: made }] });
    t.match(await keep(stateOf(A, B)), { refused: { kind: "sets" }, changes: [] });
    const [error = "", ...more] = errors();
    t.strictSame(more, []);
    t.ok(error.includes(words) && error.includes("fairlead cleanup"), error);
    t.strictSame([keeper.held, keeper.withheld], [undefined, []], "no item is blamed for it");
    await memory.edit({ kind: "sets", changes: [{ kind: "destroy", name: CLUSTER_IP.name }] });
    t.match(await keep(stateOf(A, B)), { refused: undefined, wrong: [] });
  });
}

t.test("a set that somebody replaced by one of another type leaves present servers and addresses alone", async (t) => {
  const { memory, keep } = setUp();
  await keep(stateOf(A, B));
  await memory.edit({
    kind: "sets",
    changes: [
      { kind: "destroy", name: CLUSTER_IP.name },
      { kind: "create", set: { ...IPVS_IPS, name: CLUSTER_IP.name } },
    ],
  });
  t.match(await keep(stateOf(A), PERIOD), { refused: { kind: "sets" }, changes: [] });
  t.match(await keep(stateOf(A)), { refused: { kind: "sets" }, changes: [] });
});

t.test("a set of another size is replaced, and no entry is missing at any moment", async (t) => {
  const { memory, keep, errors } = setUp();
  const entries = ["10.0.0.1,tcp:80"];
  const set = { ...CLUSTER_IP, maxEntries: 9 };
  await memory.edit({
    kind: "sets",
    changes: [
      { kind: "create", set },
      { kind: "add", set, entries },
    ],
  });
  const { changes, refused, wrong } = await keep(stateOf(A));
  t.strictSame([refused, wrong, errors()], [undefined, [], []]);
  t.strictSame(
    changes.filter((change) => change.includes("CLUSTER-IP") || change.includes("SCRATCH")),
    [
      "destroy KUBE-SCRATCH",
      "create KUBE-SCRATCH",
      "add KUBE-SCRATCH 10.0.0.1,tcp:80",
      "swap KUBE-CLUSTER-IP KUBE-SCRATCH",
      "destroy KUBE-SCRATCH",
    ],
  );
});

t.test(
  "an address whose entry is rejected is served without the filter, and filtered when the entry is in",
  async (t) => {
    const { keeper, memory, keep } = setUp();
    memory.journal.refuses = (change) => (change === "add KUBE-CLUSTER-IP 10.0.0.2,tcp:80" ? EINVAL : 0);
    const { wrong } = await keep(stateOf(A, B));
    const unfiltered = ["- entry KUBE-CLUSTER-IP 10.0.0.2,tcp:80", "- entry KUBE-IPVS-IPS 10.0.0.2"];
    t.strictSame(wrong, unfiltered, "the virtual server and the address stay");
    const retry = await keep(stateOf(A, B), keeper.nextLook);
    t.strictSame(
      [...new Set(retry.changes)],
      ["add KUBE-CLUSTER-IP 10.0.0.2,tcp:80"],
      "packets are not rejected while it is tried again",
    );
    t.strictSame(retry.wrong, unfiltered);
    memory.journal.refuses = () => 0;
    t.strictSame((await keep(stateOf(A, B), keeper.nextLook)).wrong, unfiltered.slice(1));
    t.equal(keeper.nextLook, 0);
    t.strictSame((await keep(stateOf(A, B))).wrong, []);
    t.equal(keeper.nextLook, undefined);
  },
);

/** So many programmed Services, and the same with another scheduler, as after a restart with other settings. */
const MANY = Array.from(
  { length: 600 },
  (_, at) => [`10.0.${at >> 8}.${at & 255}`, `10.1.${at >> 8}.${at & 255}`] as const,
);
const programmed = (settings: Partial<VirtualServer>) =>
  stateOf(...MANY.map(([address, real]) => buildServed(address, [real], settings)));

t.setTimeout(240_000);

for (const [name, refuses] of [
  ["2 of 600", (change: string) => /^set-server 10\.0\.1\.[12]:/.test(change)],
  ["25 of 600", (change: string) => /^set-server 10\.0\.0\.(?:1?\d|2[0-4]):/.test(change)],
  ["all of 600", (change: string) => change.startsWith("set-server ")],
  ["all changes", () => true],
] as const) {
  t.test(`a restart that has ${name} virtual servers rejected removes nothing that serves`, async (t) => {
    const { memory, keep } = setUp();
    await keep(programmed({}));
    const all = () => memory.look("IPv4", [CLUSTER_IP, IPVS_IPS]);
    const least = { servers: 600, reals: 600, addresses: 600, entries: 1200 };
    const watch = async () => {
      const { servers, addresses, sets } = await all();
      least.servers = Math.min(least.servers, servers.length);
      least.reals = Math.min(least.reals, servers.flatMap(({ realServers }) => realServers).length);
      least.addresses = Math.min(least.addresses, addresses.length);
      least.entries = Math.min(
        least.entries,
        sets.reduce((sum, { entries }) => sum + entries.size, 0),
      );
    };
    const again = setUp(memory, watch);
    memory.journal.refuses = (change) => (refuses(change) ? EINVAL : 0);
    for (let time = 0; time < 4; time++) {
      const { refused, changes } = await again.keep(programmed({ scheduler: "mh" }), time === 0 ? 0 : 2_000);
      await watch();
      t.equal(refused, undefined);
      t.strictSame(
        changes.filter((change) => !change.startsWith("set-server ")),
        [],
      );
    }
    t.strictSame(least, { servers: 600, reals: 600, addresses: 600, entries: 1200 });
    t.ok(again.keeper.withheld.length > 0);
    memory.journal.refuses = () => 0;
    t.match(await again.keep(programmed({ scheduler: "mh" }), 3_600_000), { wrong: [] });
    t.strictSame(again.keeper.withheld, []);
  });
}

t.test("a restart whose first look is lost, or first change, removes nothing that serves", async (t) => {
  const { memory, keep } = setUp();
  await keep(programmed({}));
  for (const lost of ["dump", "batch"] as const) {
    const again = setUp(memory);
    let asked = 0;
    memory.loses = (_, purpose) => (purpose === lost && asked++ === 0 ? "request" : undefined);
    const scheduler = lost === "dump" ? "mh" : "rr";
    const first = await again.keep(programmed({ scheduler })).catch((error: unknown) => error);
    t.ok(asked > 0 && first, lost);
    t.match(await again.keep(programmed({ scheduler })), { wrong: [] });
    t.strictSame(again.keeper.withheld, []);
    t.strictSame(
      memory.journal.changes.filter((change) => /^(?:remove|unbind)/.test(change)),
      [],
    );
  }
});

t.test("endpoints of a virtual server that cannot be changed still follow", async (t) => {
  const { memory, keep } = setUp();
  await keep(stateOf(A));
  const again = setUp(memory);
  memory.journal.refuses = (change) => (change.startsWith("set-server ") ? EINVAL : 0);
  await again.keep(stateOf(buildServed("10.0.0.1", ["10.1.0.1", "10.1.0.2"], { scheduler: "mh" })));
  const { changes } = await again.keep(stateOf(buildServed("10.0.0.1", ["10.1.0.1", "10.1.0.3"], { scheduler: "mh" })));
  t.match(changes, [/^add-real .*10\.1\.0\.3/, /^set-real .*10\.1\.0\.2:8080 weight 0/, /^remove-real .*10\.1\.0\.2/]);
});

t.test("a real server whose change is rejected stays as it is", async (t) => {
  const { memory, keep } = setUp();
  await keep(stateOf(A));
  const { realServers, ...server } = buildServer("10.0.0.1", ["10.1.0.1"]);
  const changes = realServers.map((real) => ({ kind: "set-real", server, real: { ...real, weight: 7 } }) as const);
  await memory.edit({ kind: "servers", changes });
  const again = setUp(memory);
  memory.journal.refuses = (change) => (change.startsWith("set-real ") ? EINVAL : 0);
  t.match(await again.keep(stateOf(A)), { wrong: [/^- .* weight 1$/, /^\+ .* weight 7$/] });
  t.match(await again.keep(stateOf(A), PERIOD), { wrong: [/^- .* weight 1$/, /^\+ .* weight 7$/] });
});

t.test("an address that cannot be unbound keeps nothing else", async (t) => {
  const { memory, keep } = setUp();
  await keep(stateOf(A, B));
  memory.journal.refuses = (change) => (change.startsWith("unbind 10.0.0.2") ? EINVAL : 0);
  t.strictSame((await setUp(memory).keep(stateOf(A))).wrong, ["+ address 10.0.0.2"]);
});

t.test("rules are read only where nf_tables tells of a foreign change, and compared by themselves", async (t) => {
  const { keeper, rules, tools, keep } = setUp();
  t.equal(await keeper.rulesMoved(), false, "nothing was applied yet");
  await keep(stateOf(A));
  t.match(await keep(stateOf(A), DUE), { looks: 1, saves: 0 });
  t.equal(await keeper.rulesMoved(), false);
  rules.moved = true;
  t.match(await keep(stateOf(A), DUE), { looks: 1, saves: 1, changes: [] });
  t.equal(await keeper.rulesMoved(), false, "they read as before");
  t.ok(tools.log.some(({ program }) => program.endsWith("-save")));
});

t.test("rules of ours that other software flushed are noticed, and a change at hand goes first", async (t) => {
  const { keeper, rules, tools, memory, keep } = setUp();
  const chain = { name: "KUBE-SERVICES", hold: "ours", rules: [{ line: "-A KUBE-SERVICES -j RETURN" }] } as const;
  const withRules = (...fragments: readonly Fragment[]): KernelState => {
    return { ...stateOf(...fragments), tables: new Map([["nat", new Map([[chain.name, chain]])]]) };
  };
  await keep(withRules(A));
  tools.load("*nat\n:KUBE-SERVICES - [0:0]\nCOMMIT\n");
  rules.moved = true;
  t.equal(await keeper.rulesMoved(), true);
  keeper.suspect();
  const order: string[] = [];
  memory.journal.refuses = (change) => {
    order.push(change, `${tools.log.filter(({ program }) => program.endsWith("-save")).length} saves`);
    return 0;
  };
  t.match(await keep(withRules(A, B)), { wrong: [], saves: 1, refused: undefined });
  t.equal(order[1], "0 saves", "before the kernel is observed");
  t.match(tools.save(), /-A KUBE-SERVICES -j RETURN/);
  t.equal(await keeper.rulesMoved(), false);
});
