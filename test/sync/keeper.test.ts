// Tests when a reconciler trusts the applied state, when it observes the kernel, and what it does about rejections.
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import type { RunCommand } from "../../src/kernel/command.ts";
import { machine } from "../../src/kernel/kernel.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import { Keeper, refusalIn } from "../../src/sync/keeper.ts";
import { createLog } from "../../src/sync/log.ts";
import { PassLog } from "../../src/sync/pass-log.ts";
import { HandClock, settle } from "../support/clock.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { buildChain, buildFragment, buildState } from "../support/fragments.ts";
import { BACKEND } from "../support/templates.ts";

const PERIOD = 30_000;
const HOUR = 3_600_000;
const FLUSH = "*nat\n:KUBE-SERVICES - [0:0]\nCOMMIT\n";

const [a, b] = [buildFragment("a", ["ACCEPT"]), buildFragment("b", ["DROP"])];
const STATE = buildState([a]);
const OTHER = buildState([a, b]);

function setUp(variant: "nft" | "legacy") {
  const tools = new FakeIptables();
  const clock = new HandClock();
  const lines: string[] = [];
  /** What nf_tables tells; `moved` once, as the kernel client does. */
  const told = { moved: false, chains: false };
  const moved = async () => {
    const { moved } = told;
    told.moved = false;
    return moved;
  };
  /** Milliseconds that a save takes. */
  const slow = { save: 0 };
  const run: RunCommand = async (command) => {
    if (command.program.endsWith("-save") && slow.save > 0) await clock.advance(slow.save);
    return tools.run(command);
  };
  const kernel = { ...machine(run), moved, chainsMoved: async () => told.chains };
  const log = createLog("text", (line) => lines.push(line))("pass.ts");
  const keeper = new Keeper({ kernel, backend: BACKEND, variant }, { clock, syncPeriod: PERIOD });
  const passLog = new PassLog({ family: "IPv4", mode: "iptables", clock, log });
  const calls = () => tools.log.splice(0).map(({ program }) => program.replace("iptables-", ""));
  /** The tools that a verification calls after so much time, and whether it asks for a sync. */
  const verify = async (wait = 0) => {
    await clock.advance(wait);
    calls();
    return [await keeper.verify(), ...calls()];
  };
  /** The tools that a sync calls. */
  const sync = async (state: KernelState) => {
    calls();
    passLog.begin();
    const kept = await keeper.keep(state);
    passLog.end(kept);
    const refused = refusalIn(kept)?.step;
    return { kept, refused, called: calls() };
  };
  /** A sync after so much time, as the daemon does it: a verification that is due goes first. */
  const keep = async (state: KernelState, wait = 0) => {
    await verify(wait);
    return sync(state);
  };
  return { tools, clock, kernel, slow, keeper, verify, sync, keep, told, lines };
}

/** A verification is due a second before the end of the period, so that a repair is in time. */
const DUE = PERIOD - 1_000;

const VERIFICATIONS = [
  { name: "nft: too soon", variant: "nft", moved: true, wait: DUE - 1, does: [false] },
  { name: "nft: no foreign change", variant: "nft", moved: false, wait: DUE, does: [false] },
  { name: "nft: a foreign change", variant: "nft", moved: true, wait: DUE, does: [false, "save"] },
  { name: "nft: after an hour", variant: "nft", moved: false, wait: HOUR, does: [false, "save"] },
  { name: "legacy: too soon", variant: "legacy", moved: true, wait: DUE - 1, does: [false] },
  { name: "legacy: always when it is due", variant: "legacy", moved: false, wait: DUE, does: [false, "save"] },
] as const;

for (const { name, variant, moved, wait, does } of VERIFICATIONS) {
  t.test(`verification, ${name}: ${does.length > 1 ? "" : "no "}observation`, async (t) => {
    const { verify, sync, told } = setUp(variant);
    t.strictSame(await verify(), [false], "nothing before the first sync");
    t.strictSame((await sync(STATE)).called, ["save", "restore"], "the first sync observes the kernel");
    told.moved = moved;
    t.strictSame(await verify(wait), does);
    t.strictSame(await verify(), [false], "and not at once again");
  });
}

t.test("without drift a sync never observes the kernel, however long ago that was", async (t) => {
  for (const variant of ["nft", "legacy"] as const) {
    const { clock, sync, told } = setUp(variant);
    await sync(STATE);
    told.moved = true;
    await clock.advance(10 * HOUR);
    t.strictSame((await sync(STATE)).called, []);
    t.strictSame((await sync(OTHER)).called, ["restore"]);
  }
});

t.test("drift is repaired in one sync, behind the change at hand", async (t) => {
  for (const state of [STATE, OTHER]) {
    const { tools, verify, sync } = setUp("legacy");
    await sync(buildState([a, b, buildFragment("c", ["RETURN"])]));
    const change = (await sync(state)).called;
    tools.load("*nat\n-D KUBE-SERVICES -j ACCEPT\nCOMMIT\n");
    t.strictSame(await verify(DUE), [true, "save"]);
    const { kept, called } = await sync(buildState([a]));
    t.strictSame(called, [...(state === STATE ? [] : change), "save", "restore"]);
    t.match(kept, { scope: "full", restored: true, drift: { steps: [{ kind: "iptables" }] } });
    t.match(tools.save(), /-A KUBE-SERVICES -j ACCEPT\n(?!-A KUBE-SERVICES)/);
    t.strictSame(await verify(DUE), [false, "save"]);
  }
});

t.test("changes during a verification are no drift", async (t) => {
  const { tools, clock, keeper, sync } = setUp("legacy");
  await sync(STATE);
  for (const when of ["before the save", "behind the save"] as const) {
    for (const state of [OTHER, STATE]) {
      await clock.advance(DUE);
      const verification = keeper.verify();
      if (when === "behind the save") await settle();
      const [isSyncNeeded] = await Promise.all([verification, sync(state)]);
      t.equal(isSyncNeeded, false, when);
    }
  }
  await clock.advance(DUE);
  const drifted = keeper.verify();
  tools.load("*nat\n-A KUBE-SERVICES -j RETURN\nCOMMIT\n");
  await sync(OTHER);
  t.equal(await drifted, true, "foreign ones are");
});

t.test("a sync that fails during a verification leaves nothing to compare; the next sync observes", async (t) => {
  const { tools, clock, keeper, sync } = setUp("legacy");
  await sync(STATE);
  await clock.advance(DUE);
  const verification = keeper.verify();
  await settle();
  tools.fault = ({ program }) => (program.endsWith("-restore") ? "killed" : undefined);
  await sync(OTHER);
  t.equal(await verification, false);
  tools.fault = undefined;
  t.strictSame((await sync(OTHER)).called, ["save", "restore"]);
});

t.test("rules that read the same as before are not parsed again, unless we wrote or observed meanwhile", async (t) => {
  const { tools, kernel, sync, keeper } = setUp("legacy");
  const LOOK = { sysctls: [], counters: [] };
  const isParsed = async () => (await kernel.observeInBackground("IPv4", LOOK)) !== undefined;
  await sync(STATE);
  t.strictSame([await isParsed(), await isParsed()], [true, false]);
  tools.load(FLUSH);
  t.strictSame([await isParsed(), await isParsed()], [true, false]);
  keeper.forget();
  await sync(STATE);
  t.strictSame([await isParsed(), await isParsed()], [true, false]);
  await kernel.observe("IPv4", LOOK);
  t.equal(await isParsed(), true);
});

t.test("a kernel that cannot be observed counts as different and fails the next sync", async (t) => {
  const { tools, verify, sync } = setUp("legacy");
  await sync(STATE);
  tools.fault = () => "no permission";
  t.strictSame(await verify(PERIOD), [true, "save", "save", "iptables"]);
  await t.rejects(sync(STATE), KernelError);
});

t.test("verifications run at low priority, observations of a sync do not", async (t) => {
  const { tools, clock, keeper } = setUp("legacy");
  await keeper.keep(STATE);
  await clock.advance(DUE);
  await keeper.verify();
  keeper.forget();
  await keeper.keep(STATE);
  const saves = tools.log.filter(({ program }) => program === "iptables-save");
  t.strictSame(
    saves.map(({ unhurried }) => unhurried),
    [false, true, false],
  );
});

t.test("constant foreign changes that leave our chains alone cause few observations", async (t) => {
  const { slow, verify, sync, told } = setUp("nft");
  await sync(STATE);
  slow.save = 1_000;
  let saves = 0;
  /** A save takes a second, so that 200 seconds have to pass until the next one. */
  const slowly = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      told.moved = true;
      saves += (await verify(1_000)).filter((does) => does === "save").length;
    }
    return saves;
  };
  t.equal(await slowly(30), 1);
  t.equal(await slowly(190), 1, "our chains have the same number of rules");
  told.chains = true;
  t.equal(await slowly(30), 2, "they have another number of rules");
  told.chains = false;
  t.equal(await slowly(600), 4, "and from time to time, for a rule may have been replaced");
});

t.test("a foreign change that was not observed is observed later, also without another one", async (t) => {
  const { slow, verify, sync, told } = setUp("nft");
  await sync(STATE);
  slow.save = 1_000;
  told.moved = true;
  t.strictSame(await verify(PERIOD), [false, "save"]);
  told.moved = true;
  t.strictSame(await verify(PERIOD), [false]);
  t.strictSame(await verify(PERIOD), [false]);
  t.strictSame(await verify(200_000), [false, "save"]);
  t.strictSame(await verify(200_000), [false]);
});

t.test("what is forgotten is looked at", async (t) => {
  const { keeper, keep } = setUp("nft");
  await keep(STATE);
  keeper.forget();
  t.strictSame((await keep(STATE)).called, ["save"]);
});

t.test("a kernel that cannot be observed is observed by the next sync", async (t) => {
  const { tools, keep } = setUp("legacy");
  await keep(STATE);
  tools.fault = () => "no permission";
  await t.rejects(keep(STATE, PERIOD), KernelError);
  tools.fault = undefined;
  t.strictSame((await keep(STATE)).called, ["save"]);
});

t.test("what somebody else changed is restored and told, line by line", async (t) => {
  const { tools, keep, lines } = setUp("legacy");
  await keep(STATE);
  tools.load(FLUSH);
  await keep(STATE, PERIOD);
  t.match(tools.save(), "-A KUBE-SERVICES -j ACCEPT");
  t.match(
    lines.find((line) => line.startsWith("W")),
    /"Other software changed our rules; restored them".*lines=2/,
  );
});

t.test("what is believed and proves wrong is looked at, in the same pass", async (t) => {
  const { tools, keep, lines } = setUp("nft");
  await keep(OTHER);
  tools.load(FLUSH);
  const { refused, called } = await keep(STATE);
  t.strictSame([refused, called], [undefined, ["restore", "save", "restore"]]);
  t.match(tools.save(), "-A KUBE-SERVICES -j ACCEPT\n");
  t.match(
    lines.filter((line) => /^[EW]/.test(line)),
    [/^W.*"Kernel rejected a change; trying again" .*RULE_DELETE failed/s],
  );
});

t.test("nobody is to blame when what was believed is wrong", async (t) => {
  const { tools, keep, lines } = setUp("nft");
  await keep(STATE);
  tools.load(FLUSH);
  const { refused, called } = await keep(OTHER);
  t.strictSame([refused, called], [undefined, ["restore", "save", "restore"]]);
  t.match(tools.save(), "-A KUBE-SERVICES -j ACCEPT\n-A KUBE-SERVICES -j DROP\n");
  t.match(
    lines.filter((line) => /^[EW]/.test(line)),
    [/^W.*"Kernel rejected a change; trying again" .*RULE_INSERT failed/s],
  );
});

const GONE = "the tool was killed";

t.test("a restore that fails over no rule is told and blamed on nobody", async (t) => {
  const { tools, keep, lines } = setUp("nft");
  tools.fault = ({ program }) => (program.endsWith("-restore") ? GONE : undefined);
  const { refused, called } = await keep(STATE);
  t.equal(refused?.kind, "iptables");
  t.strictSame(called, ["save", "restore"]);
  t.match(lines, [
    /"Kernel rejected a change; the rules in the kernel stay, retrying" .*step="iptables" code="1" .*the tool was killed/,
  ]);
  tools.fault = undefined;
  t.strictSame((await keep(STATE)).called, ["save", "restore"], "and nothing is believed");
});

const bad = buildFragment("bad", ["REJECT"]);

for (const names of ["rule", "commit"] as const) {
  t.test(`a refused fragment is set aside, said by ${names}; what was taken of it stays`, async (t) => {
    const { tools, keep, lines } = setUp("nft");
    tools.names = names;
    const before = buildFragment("bad", ["RETURN"]);
    await keep(buildState([a, before]));
    tools.refuses = "REJECT";
    t.equal((await keep(buildState([a, bad, b]))).refused, undefined);
    t.match(tools.save(), "-A KUBE-SERVICES -j ACCEPT\n-A KUBE-SERVICES -j RETURN\n-A KUBE-SERVICES -j DROP\n");
    t.match(
      lines.find((line) => line.startsWith("E")),
      /quarantined and retried later, its present rules stay" .*servicePort="bad"/,
    );
    t.strictSame((await keep(buildState([a, bad, b]))).called, [], "then it is left alone");
    tools.refuses = undefined;
    await keep(buildState([a, bad, b]), PERIOD);
    t.match(tools.save(), "-A KUBE-SERVICES -j REJECT\n", "until its time comes");
  });

  t.test(`a fragment that was taken once and is refused now is left out, said by ${names}`, async (t) => {
    const { tools, keep, lines } = setUp("legacy");
    tools.names = names;
    const state = buildState([a, bad, b]);
    await keep(state);
    tools.refuses = "REJECT";
    tools.load(FLUSH);
    t.equal((await keep(state, PERIOD)).refused, undefined);
    t.match(tools.save(), "-A KUBE-SERVICES -j ACCEPT\n-A KUBE-SERVICES -j DROP\n");
    t.match(
      lines.filter((line) => line.startsWith("E")),
      [/servicePort="bad"/],
    );
  });
}

t.test("a fixed rule that is refused is blamed on nobody", async (t) => {
  const { tools, keep, lines } = setUp("nft");
  tools.refuses = "FIXED";
  const { refused } = await keep(buildState([a], [buildChain("KUBE-SERVICES", "FIXED")]));
  t.equal(refused?.kind, "iptables");
  t.match(lines.at(-1), /"Kernel rejected a change; the rules in the kernel stay.*FIXED/s);
});

t.test("a refusal that is not over rules at all is given back", async (t) => {
  const { keep } = setUp("nft");
  const { refused } = await keep({ ...STATE, sysctls: [{ path: "net/no/such", value: "1" }] });
  t.strictSame(refused, { kind: "sysctl", path: "net/no/such", value: "1" });
});

t.test("chains that others lead into are told once, and again when there are others", async (t) => {
  const { tools, keeper, keep, lines } = setUp("legacy");
  const foreign = (name: string) =>
    tools.load(`*nat\n:CNI - [0:0]\n:KUBE-SVC-${name} - [0:0]\n-A CNI -j KUBE-SVC-${name}\nCOMMIT\n`);
  for (const name of ["A", "A", "B"]) {
    foreign(name);
    keeper.forget();
    await keep(STATE);
  }
  const said = lines.filter((line) => line.includes("Stale chains stay"));
  t.match(said, [/nat KUBE-SVC-A \(-A CNI -j KUBE-SVC-A\)/, /nat KUBE-SVC-B/]);
  t.equal(said.length, 2);
});
