// Tests a reconciler whose tables cannot be read because of a rule of other software that iptables cannot print.
import t from "tap";
import type { Command } from "../../../src/kernel/command.ts";
import { machine } from "../../../src/kernel/kernel.ts";
import type { Chain, KernelState } from "../../../src/state/kernel-state.ts";
import { Keeper } from "../../../src/sync/keeper.ts";
import { createLog } from "../../../src/sync/log.ts";
import { PassLog } from "../../../src/sync/pass-log.ts";
import { reportOf } from "../../../src/sync/pass-report.ts";
import { HandClock } from "../../support/clock.ts";
import { FakeIptables } from "../../support/fake-iptables.ts";
import { buildChain, buildFragment, buildState } from "../../support/fragments.ts";
import { BACKEND } from "../../support/templates.ts";

const PERIOD = 30_000;
const HOUR = 3_600_000;

const JUMP = '-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES';

const CHAINS: readonly Chain[] = [
  buildChain("KUBE-SERVICES"),
  { name: "KUBE-PROXY-CANARY", hold: "ensured", rules: [] },
  { name: "PREROUTING", hold: "built-in", rules: [{ line: JUMP }] },
];

const own = (name: string, target: string) =>
  buildFragment(name, [`KUBE-SVC-${name}`], [buildChain(`KUBE-SVC-${name}`, target)]);

const [a, b] = [own("A", "ACCEPT"), own("B", "DROP")];
const ONE = buildState([a], [...CHAINS]);
const TWO = buildState([a, b], [...CHAINS]);

/** Chains and jumps of a table are probed one by one. */
const PROBES = CHAINS.map(() => "iptables");

/** Starts a daemon over what the tools hold. */
function start(tools = new FakeIptables(), variant: "nft" | "legacy" = "legacy") {
  const clock = new HandClock();
  const lines: string[] = [];
  const log = createLog("text", (line) => lines.push(line))("pass.ts");
  const kernel = { ...machine(tools.run), moved: async () => false };
  const keeper = new Keeper({ kernel, backend: BACKEND, variant }, { clock, syncPeriod: PERIOD });
  const passLog = new PassLog({ family: "IPv4", mode: "iptables", clock, log });
  const calls = () => tools.log.splice(0).map(({ program }) => program.replace("iptables-", ""));
  const sync = async (state: KernelState) => {
    calls();
    const kept = await keeper.keep(state);
    passLog.end(kept);
    const without = { setAside: [], withheld: [], held: undefined, triggers: [], serviceHealth: [] };
    const report = reportOf(kept, { ...without, withoutLocalEndpoints: { internal: 0, external: 0 } });
    return { kept, tables: report.unreadableTables, called: calls() };
  };
  /** The first verification that is due after so much time: whether it asks for a sync, and what it calls. */
  const verify = async (wait: number) => {
    await clock.advance(wait);
    calls();
    return [await keeper.verify(), ...calls()];
  };
  return { tools, clock, keeper, sync, verify, lines };
}

/** A node on which an earlier daemon left a chain that is stale now, and whose table nat cannot be read. */
async function startUnreadable() {
  const { tools, sync } = start();
  await sync(TWO);
  tools.load("*nat\n:KUBE-SVC-STALE - [0:0]\nCOMMIT\n");
  tools.unprintable.add("nat");
  return start(tools);
}

const jumps = (tools: FakeIptables) => tools.save().split(JUMP).length - 1;

t.test("rules are written whole, nothing stale is deleted and no jump is inserted twice", async (t) => {
  const { tools, sync } = await startUnreadable();
  const { called, tables } = await sync(ONE);
  t.strictSame(called, ["save", "save", ...PROBES, "restore"]);
  t.strictSame(tables, {
    nat: "*nat: Can't open socket to ipset.; iptables needs the capability NET_RAW for a set match (-m set)",
  });
  t.match(tools.save(), /-A KUBE-SERVICES -j KUBE-SVC-A\n(?!-A KUBE-SERVICES)/);
  for (const name of ["STALE", "B"]) t.match(tools.save(), `:KUBE-SVC-${name} `, "what may be stale stays");
  t.equal(jumps(tools), 1);
});

t.test("on a node without rules everything is created", async (t) => {
  const { tools, sync } = start();
  tools.load("*nat\nCOMMIT\n");
  tools.unprintable.add("nat");
  await sync(TWO);
  t.match(tools.save(), /-A KUBE-SERVICES -j KUBE-SVC-A\n-A KUBE-SERVICES -j KUBE-SVC-B\n/);
  t.equal(jumps(tools), 1);
});

t.test("afterwards changes alone are written", async (t) => {
  const { tools, sync } = await startUnreadable();
  await sync(ONE);
  t.strictSame((await sync(TWO)).called, ["restore"]);
  t.match(tools.save(), /-A KUBE-SERVICES -j KUBE-SVC-B/);
  t.strictSame((await sync(TWO)).called, [], "nothing changed");
});

t.test("reading is retried at growing intervals, up to the sync period", async (t) => {
  const { keeper, sync, verify } = await startUnreadable();
  await sync(ONE);
  const waits: number[] = [];
  for (let retry = 0; retry < 7; retry++) {
    const wait = keeper.nextVerification;
    waits.push(wait);
    t.strictSame(await verify(wait - 1), [false], "not before");
    t.strictSame(await verify(1), [false, "save", "save", ...PROBES]);
  }
  t.strictSame(waits, [1_000, 2_000, 4_000, 8_000, 16_000, PERIOD, PERIOD]);
});

t.test("a table that can be read again is compared whole: what is stale goes", async (t) => {
  const { tools, keeper, sync, verify, lines } = await startUnreadable();
  await sync(ONE);
  await sync(ONE);
  tools.unprintable.clear();
  t.strictSame(await verify(keeper.nextVerification), [true, "save"]);
  const { tables, called } = await sync(ONE);
  t.strictSame([tables, called], [undefined, ["save", "restore"]]);
  t.notMatch(tools.save(), /KUBE-SVC-(?:STALE|B)/);
  t.match(lines, [
    /^E.*"Cannot read tables; .*ipFamily="IPv4" tables="nat" err=".*Can't open socket to ipset.*NET_RAW/,
    /^I.*"SyncProxyRules complete"/,
    /^I.*"Tables can be read again; compared all rules" ipFamily="IPv4" tables="nat"/,
    /^I.*"SyncProxyRules complete"/,
  ]);
});

t.test("a jump that other software removed is inserted again although the table cannot be read", async (t) => {
  const { tools, keeper, sync, verify } = await startUnreadable();
  await sync(ONE);
  tools.load(`*nat\n-D${JUMP.slice(2)}\nCOMMIT\n`);
  t.strictSame(await verify(keeper.nextVerification), [true, "save", "save", ...PROBES]);
  await sync(ONE);
  t.equal(jumps(tools), 1);
});

t.test("everything is written once an hour", async (t) => {
  const { sync, verify } = await startUnreadable();
  await sync(ONE);
  t.strictSame(await verify(HOUR), [true, "save", "save", ...PROBES]);
  t.strictSame((await sync(ONE)).called, ["save", "save", ...PROBES, "restore"]);
});

t.test("a table that cannot be read any more is reported, and nothing is written for it", async (t) => {
  const { tools, sync, verify, lines } = start();
  await sync(ONE);
  tools.unprintable.add("nat");
  t.strictSame(await verify(PERIOD), [true, "save", "save", ...PROBES]);
  const { tables, called } = await sync(ONE);
  t.strictSame([Object.keys(tables ?? {}), called], [["nat"], []]);
  t.match(lines.at(-1), /^E.*"Cannot read tables; /);
});

t.test("other software that nf_tables reports is not searched for in tables that cannot be read", async (t) => {
  const { tools } = await startUnreadable();
  const { keeper, sync } = start(tools, "nft");
  await sync(ONE);
  t.equal(await keeper.rulesMoved(), false);
});

t.test("a Service that the kernel rejects is quarantined, and all others are served", async (t) => {
  const { tools, sync } = await startUnreadable();
  tools.refuses = "-j DROP";
  const { kept } = await sync(TWO);
  t.strictSame(
    kept.rejected.map(({ refused }) => refused.key),
    ["B"],
  );
  t.equal(kept.failure, undefined);
  t.match(tools.save(), /-A KUBE-SERVICES -j KUBE-SVC-A\n(?!-A KUBE-SERVICES)/);
  t.equal(jumps(tools), 1);
});

t.test("output that is no save text, ends too early or leaves a table out counts as unreadable", async (t) => {
  const whole = "*nat\n:PREROUTING ACCEPT [0:0]\n";
  const outputs = [
    ["welcome\n", /line 1: stands outside of any table: welcome/],
    [`${whole}:KUBE-SERVICES - [0:0]\n`, /the output ends within a table/],
    ["# Table `nat' is incompatible, use 'nft' tool.\n", /is incompatible, use 'nft' tool.; move the rules that were/],
  ] as const;
  for (const [text, reason] of outputs) {
    const { tools, sync } = start();
    const { run } = tools;
    const answers = new Map<string, (command: Command) => string>([["iptables-save", () => text]]);
    Object.assign(tools, { run: async (command: Command) => answers.get(command.program)?.(command) ?? run(command) });
    const { tables } = await start(tools).sync(ONE);
    t.match(tables, { nat: reason }, text);
    t.match(tools.save(), /-A KUBE-SERVICES -j KUBE-SVC-A\n/);
    t.strictSame((await sync(ONE)).tables, undefined, "read through the tool itself");
  }
});

t.test("an answer of iptables that says nothing about a rule fails the sync", async (t) => {
  const { tools, sync } = await startUnreadable();
  tools.fault = ({ args }) => (args.includes("-C") ? "Another app is currently holding the xtables lock" : undefined);
  Object.assign(tools, { faultCode: "4" });
  await t.rejects(sync(ONE), /holding the xtables lock/);
  tools.fault = ({ args }) => (args.includes("-N") ? "Another app is currently holding the xtables lock" : undefined);
  await t.rejects(sync(ONE), /holding the xtables lock/);
  t.equal(jumps(tools), 1);
});

t.test("a jump that stands twice is removed once as soon as the table can be read", async (t) => {
  const { tools, sync } = start();
  await sync(ONE);
  tools.load(`*nat\n-I${JUMP.slice(2)}\nCOMMIT\n`);
  t.equal(jumps(tools), 2);
  await start(tools).sync(ONE);
  t.equal(jumps(tools), 1);
});
