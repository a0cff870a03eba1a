// Tests one sync: what it observes, sends and reports.
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import type { RunCommand } from "../../src/kernel/command.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { pass } from "../../src/sync/pass.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { buildFragment, buildState } from "../support/fragments.ts";
import { BACKEND } from "../support/templates.ts";

const [a, b] = [buildFragment("RETURN"), buildFragment("ACCEPT")];

function setUp() {
  const tools = new FakeIptables();
  const means = { kernel: machine(tools.run), backend: BACKEND, variant: "legacy" } as const;
  return { tools, means, programs: () => tools.log.splice(0).map(({ program }) => program) };
}

t.test("the kernel is looked at, and changed where it differs", async (t) => {
  const { means, programs } = setUp();
  const { plan, applied } = await pass(means, buildState([a]));
  t.strictSame(programs(), ["iptables-save", "iptables-restore"]);
  t.strictSame(applied, {
    done: plan.steps,
    sent: new Map([["nat", 1]]),
    items: [],
    draining: [],
  });
  t.strictSame((await pass(means, buildState([a]))).applied, { done: [], sent: new Map(), items: [], draining: [] });
  t.strictSame(programs(), ["iptables-save"], "nothing is sent where nothing differs");
});

t.test("what it acknowledged is not looked at again", async (t) => {
  const { means, programs } = setUp();
  const held = buildState([a]);
  await pass(means, held);
  programs();
  await pass(means, held, { held });
  t.strictSame(programs(), []);
  await pass(means, buildState([b]), { held });
  t.strictSame(programs(), ["iptables-restore"]);
});

t.test("a change that the kernel rejects is in the result", async (t) => {
  const { means, tools } = setUp();
  tools.refuses = "RETURN";
  const { applied } = await pass(means, buildState([a]));
  t.match(applied.refused, {
    step: { kind: "iptables" },
    error: { refusal: { rejectedLines: ["-A KUBE-SERVICES -j RETURN"] } },
  });
});

t.test("a table that cannot be read is named, and its rules are written nevertheless", async (t) => {
  const { tools } = setUp();
  const run: RunCommand = async (command) => (command.program.endsWith("-save") ? "hello" : tools.run(command));
  const means = { kernel: machine(run), backend: BACKEND, variant: "legacy" } as const;
  const { observed, applied } = await pass(means, buildState([a]));
  t.match(observed.unreadable?.get("nat"), /hello/);
  t.equal(applied.refused, undefined);
  t.equal(applied.sent.get("nat"), 1);
});

t.test("when no tool works, nothing is applied", async (t) => {
  const { means, tools } = setUp();
  tools.fault = () => "no";
  await t.rejects(pass(means, buildState([a])), KernelError);
});
