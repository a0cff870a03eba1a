// Are those found whose rules the kernel refuses, in few attempts, with all others served?
import t from "tap";
import { machine } from "../../src/kernel/kernel.ts";
import type { Fragment, KernelState } from "../../src/state/kernel-state.ts";
import { findCulprits, isOverRule } from "../../src/sync/culprits.ts";
import { pass } from "../../src/sync/pass.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { buildChain, buildFragment, buildState } from "../support/fragments.ts";
import { BACKEND } from "../support/templates.ts";

/** Text of rules that the tools refuse. */
const BAD = "0xbad";

function fragmentsOf(count: number, bad: ReadonlySet<number>): readonly Fragment[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `KUBE-SEP-${String(index).padStart(3, "0")}`;
    const own = {
      ...buildChain(name),
      rules: [{ line: `-A ${name}${bad.has(index) ? ` --set-xmark ${BAD}` : ""} -j DNAT` }],
    };
    return buildFragment(`s${index}`, [name], [own]);
  });
}

async function search(
  names: FakeIptables["names"],
  fragments: readonly Fragment[],
  change?: (tools: FakeIptables) => void,
) {
  const tools = new FakeIptables();
  tools.names = names;
  tools.refuses = BAD;
  const means = { kernel: machine(tools.run), backend: BACKEND, variant: "legacy" } as const;
  const attempt = (wanted: KernelState) => pass(means, wanted);
  const holdBack = (some: readonly Fragment[]) => buildState(fragments.filter((fragment) => !some.includes(fragment)));
  const refusal = (await attempt(holdBack([]))).applied.refused?.error;
  if (!refusal) throw new Error("nothing was refused");
  const attempts = () => tools.log.filter(({ program }) => program.endsWith("-save")).length;
  const before = attempts();
  change?.(tools);
  const verdict = await findCulprits(fragments, refusal, holdBack, attempt);
  return { tools, verdict, attempts: attempts() - before, names: verdict.culprits.map(({ fragment }) => fragment.key) };
}

const SIZES = [1, 2, 7, 64, 500];

for (const size of SIZES) {
  for (const bad of new Set([0, Math.floor(size / 2), size - 1])) {
    t.test(`number ${bad} of ${size}, by a tool that names only the end of the table`, async (t) => {
      const { tools, verdict, attempts, names } = await search("commit", fragmentsOf(size, new Set([bad])));
      t.strictSame(names, [`s${bad}`]);
      t.ok(attempts <= 3 + 2 * Math.ceil(Math.log2(size)), `${attempts} attempts`);
      t.notOk(verdict.result.applied.refused);
      t.equal(tools.save().match(/^-A KUBE-SEP/gm)?.length ?? 0, size - 1, "all others are served");
      t.equal(verdict.held.fragments.length, size - 1);
    });
  }
  t.test(`one of ${size}, by a tool that names the rule`, async (t) => {
    const { attempts, names } = await search("rule", fragmentsOf(size, new Set([size - 1])));
    t.strictSame(names, [`s${size - 1}`]);
    t.equal(attempts, 1);
  });
}

for (const tool of ["rule", "commit"] as const) {
  t.test(`three of 64 at once, by a tool that names the ${tool}`, async (t) => {
    const { tools, attempts, names } = await search(tool, fragmentsOf(64, new Set([3, 40, 41])));
    t.strictSame([...names].sort(), ["s3", "s40", "s41"]);
    t.ok(attempts <= (tool === "rule" ? 15 : 40), `${attempts} attempts`);
    t.equal(tools.save().match(/^-A KUBE-SEP/gm)?.length, 61);
  });
}

t.test("a rule in a shared chain is known by what it says, wherever it was put in", async (t) => {
  const { names } = await search(
    "rule",
    [buildFragment("a"), buildFragment("b", [`RETURN --x ${BAD}`])].map(withoutTargets),
  );
  t.strictSame(names, ["b"]);
});

/** Shares that lead nowhere new. */
function withoutTargets(fragment: Fragment): Fragment {
  const line = (text: string) => text.replace(/-j a$/, "-j RETURN");
  const shares = fragment.shares("nat");
  const changed = new Map([...shares].map(([name, rules]) => [name, rules.map((rule) => ({ line: line(rule.line) }))]));
  return { ...fragment, shares: (table) => (table === "nat" ? changed : new Map()) };
}

t.test("nobody is to blame for what passes by itself", async (t) => {
  for (const size of [1, 7]) {
    const { tools, names, verdict } = await search("commit", fragmentsOf(size, new Set([0])), (tools) => {
      tools.refuses = undefined;
    });
    t.strictSame(names, []);
    t.notOk(verdict.result.applied.refused);
    t.equal(tools.save().match(/^-A KUBE-SEP/gm)?.length, size, "all are served");
  }
});

t.test("nobody is to blame for a lock that is held, from the start or in the midst", async (t) => {
  for (const free of [0, 1, 2]) {
    let restores = 0;
    const { names, verdict } = await search("commit", fragmentsOf(7, new Set([6])), (tools) => {
      tools.fault = ({ program }) =>
        program.endsWith("-restore") && restores++ >= free ? "the lock is held" : undefined;
    });
    t.strictSame(names, [], `after ${free} restores`);
    t.ok(verdict.result.applied.refused && !isOverRule(verdict.result.applied.refused.error));
  }
});

t.test("where there is no suspect, there is one more attempt", async (t) => {
  const { verdict, attempts } = await search("rule", fragmentsOf(2, new Set([0])));
  const { result, held } = verdict;
  t.strictSame([result.applied.refused, attempts], [undefined, 1]);
  const calm = await findCulprits(
    [],
    verdict.culprits[0]?.error ?? (t.fail("none") as never),
    () => held,
    async () => result,
  );
  t.strictSame(calm.culprits, []);
  t.equal(calm.result, result);
});
