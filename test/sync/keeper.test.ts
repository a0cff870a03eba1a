// When is the kernel believed and when is it looked at, and what is said and done when it refuses?
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { machine } from "../../src/kernel/kernel.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import { Keeper, refusalIn } from "../../src/sync/keeper.ts";
import { createLog } from "../../src/sync/log.ts";
import { PassLog } from "../../src/sync/pass-log.ts";
import { HandClock } from "../support/clock.ts";
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
  const kernel = { ...machine(tools.run), moved: async () => told.moved };
  const told = { moved: false };
  const log = createLog("text", (line) => lines.push(line))("pass.ts");
  const keeper = new Keeper({ kernel, backend: BACKEND, variant }, { clock, syncPeriod: PERIOD });
  const passLog = new PassLog({ family: "IPv4", mode: "iptables", clock, log });
  /** The tools that are called for a state, after so much time. */
  const keep = async (state: KernelState, wait = 0) => {
    await clock.advance(wait);
    tools.log.length = 0;
    passLog.begin();
    const kept = await keeper.keep(state);
    passLog.end(kept);
    const refused = refusalIn(kept)?.step;
    return { kept, refused, called: tools.log.map(({ program }) => program.replace("iptables-", "")) };
  };
  return { tools, keeper, keep, told, lines };
}

const LOOKS = [
  { name: "nft: the same, too soon", variant: "nft", moved: true, wait: PERIOD - 1, state: STATE, called: [] },
  { name: "nft: the same, nobody moved", variant: "nft", moved: false, wait: PERIOD, state: STATE, called: [] },
  { name: "nft: the same, somebody moved", variant: "nft", moved: true, wait: PERIOD, state: STATE, called: ["save"] },
  { name: "nft: a change, too soon", variant: "nft", moved: true, wait: 0, state: OTHER, called: ["restore"] },
  {
    name: "nft: a change, nobody moved",
    variant: "nft",
    moved: false,
    wait: PERIOD,
    state: OTHER,
    called: ["restore"],
  },
  {
    name: "nft: a change, somebody moved",
    variant: "nft",
    moved: true,
    wait: PERIOD,
    state: OTHER,
    called: ["save", "restore"],
  },
  { name: "nft: after an hour", variant: "nft", moved: false, wait: HOUR, state: STATE, called: ["save"] },
  { name: "legacy: the same, too soon", variant: "legacy", moved: true, wait: PERIOD - 1, state: STATE, called: [] },
  { name: "legacy: the same", variant: "legacy", moved: true, wait: PERIOD, state: STATE, called: ["save"] },
  { name: "legacy: a change", variant: "legacy", moved: true, wait: PERIOD, state: OTHER, called: ["restore"] },
  {
    name: "legacy: a change, after an hour",
    variant: "legacy",
    moved: true,
    wait: HOUR,
    state: OTHER,
    called: ["save", "restore"],
  },
] as const;

for (const { name, variant, moved, wait, state, called } of LOOKS) {
  t.test(name, async (t) => {
    const { keep, told } = setUp(variant);
    t.strictSame((await keep(STATE)).called, ["save", "restore"], "at first it is looked at");
    told.moved = moved;
    t.strictSame((await keep(state, wait)).called, called);
  });
}

t.test("a look that nobody waits for is unhurried, all others are not", async (t) => {
  const { tools, keep } = setUp("legacy");
  const hurried = () => tools.log.filter(({ program }) => program === "iptables-save").map((call) => !call.unhurried);
  await keep(STATE);
  t.strictSame(hurried(), [true], "at the start");
  await keep(STATE, PERIOD);
  t.strictSame(hurried(), [false], "only to see whether anybody was there");
  await keep(OTHER, HOUR);
  t.strictSame(hurried(), [true], "with a change to be written");
});

t.test("legacy: what reads as it did is not gone through again", async (t) => {
  const { tools, keep } = setUp("legacy");
  await keep(STATE);
  t.equal((await keep(STATE, PERIOD)).kept.scope, "full", "the first time it is");
  const quiet = await keep(STATE, PERIOD);
  t.strictSame([quiet.called, quiet.kept.scope], [["save"], "partial"], "then it is only read");
  t.strictSame((await keep(STATE, PERIOD - 1)).called, [], "once in a period");
  await tools.run({ program: "iptables-restore", args: ["--noflush"], input: [FLUSH] });
  const foreign = await keep(STATE, 1);
  t.strictSame(foreign.called, ["save", "save", "restore"], "somebody else's change is found");
  t.ok(foreign.kept.drift);
  t.equal((await keep(STATE, PERIOD)).kept.scope, "full", "after a change of ours it is looked at");
  await keep(OTHER);
  t.equal((await keep(OTHER, PERIOD)).kept.scope, "full", "after any");
  t.equal((await keep(OTHER, PERIOD)).kept.scope, "partial");
  t.equal((await keep(OTHER, HOUR)).kept.scope, "full", "and each hour");
  tools.fault = () => "no";
  await t.rejects(keep(OTHER, PERIOD), KernelError, "what cannot be read does not count as the same");
});

t.test("what is forgotten is looked at", async (t) => {
  const { keeper, keep } = setUp("nft");
  await keep(STATE);
  keeper.forget();
  t.strictSame((await keep(STATE)).called, ["save"]);
});

t.test("a kernel that cannot be looked at is not believed", async (t) => {
  const { tools, keep } = setUp("legacy");
  await keep(STATE);
  tools.fault = () => "no";
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
    /"Somebody else changed our rules; they are restored".*lines=2/,
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
  const said = lines.filter((line) => line.includes("stale chains"));
  t.match(said, [/nat KUBE-SVC-A \(-A CNI -j KUBE-SVC-A\)/, /nat KUBE-SVC-B/]);
  t.equal(said.length, 2);
});
