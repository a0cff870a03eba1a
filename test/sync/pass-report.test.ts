// What do watchers learn of a pass?
import t from "tap";
import { KernelError, RuleSyntaxError } from "../../src/errors.ts";
import type { Applied } from "../../src/kernel/apply.ts";
import type { Plan, Step } from "../../src/plan/plan.ts";
import type { Kept } from "../../src/sync/keeper.ts";
import { blindReport, type Circumstances, reportOf } from "../../src/sync/pass-report.ts";
import { buildIpvsState, buildServed } from "../support/build-ipvs.ts";
import { buildFragment, buildState } from "../support/fragments.ts";

const ERROR = new KernelError({ step: "bind", target: "10.0.0.1", code: "EINVAL", words: "no" });
const STEP: Step = { kind: "device", name: "kube-ipvs0" };
const RULES: Step = { kind: "iptables", family: "IPv4", changes: [] };
const PLAN: Plan = { steps: [STEP], kept: [] };

const CIRCUMSTANCES: Circumstances = {
  held: undefined,
  setAside: [],
  withheld: [],
  triggers: [5],
  withoutLocalEndpoints: { internal: 1, external: 2 },
  serviceHealth: [],
};

function keptOf(...attempts: readonly Partial<Applied>[]): Kept {
  const nothing: Applied = { done: [], sent: new Map(), items: [], draining: [] };
  const results = attempts.map((given) => ({ plan: PLAN, applied: { ...nothing, ...given } }));
  const failure = attempts.at(-1)?.refused;
  const kept = {
    elapsed: 7,
    scope: "partial",
    attempts: results,
    drift: undefined,
    restored: false,
    rejected: [],
    items: [],
  } as const;
  return failure ? { ...kept, failure } : kept;
}

t.test("steps, rules and refused restores of all attempts are counted; the last one decides", async (t) => {
  const kept = keptOf(
    { done: [STEP], sent: new Map([["nat", 3]]), refused: { step: RULES, error: ERROR } },
    {
      done: [STEP, RULES],
      sent: new Map([
        ["nat", 4],
        ["filter", 1],
      ]),
    },
  );
  const report = reportOf(kept, CIRCUMSTANCES);
  t.match(report, {
    elapsed: 7,
    scope: "partial",
    steps: 3,
    refusedRestores: 1,
    sent: { filter: 1, nat: 7 },
    driftedLines: 0,
  });
  t.match(report, { triggers: [5], withoutLocalEndpoints: { internal: 1, external: 2 } });
  t.equal(report.failure, undefined);
  const failed = reportOf(keptOf({}, { refused: { step: STEP, error: ERROR } }), CIRCUMSTANCES);
  t.strictSame(failed.failure, { step: "device", code: "EINVAL", words: ERROR.message });
});

t.test("what somebody else changed is counted by lines", async (t) => {
  t.equal(reportOf({ ...keptOf({}), drift: PLAN }, CIRCUMSTANCES).driftedLines, 1);
});

t.test("rules owned are counted when they are asked for, none where nothing is known", async (t) => {
  const held = buildState([buildFragment("a", ["ACCEPT"])]);
  t.strictSame(reportOf(keptOf({}), { ...CIRCUMSTANCES, held }).owned(), { filter: 0, nat: 1 });
  t.strictSame(reportOf(keptOf({}), CIRCUMSTANCES).owned(), { filter: 0, nat: 0 });
});

t.test("what is held back is told by its ServicePort, where that is known", async (t) => {
  const [refused, error] = [buildFragment("ns/s/TCP"), ERROR];
  const setAside = [{ refused, error, instead: undefined, wait: 1, until: 2 }];
  const withheld = [
    { key: "10.0.0.1", error },
    { key: "10.9.9.9", error },
  ];
  const held = buildIpvsState([buildServed("10.0.0.1", [])]);
  const names = (given: Partial<Circumstances>) =>
    reportOf(keptOf({}), { ...CIRCUMSTANCES, setAside, withheld, ...given }).setAside.map(
      ({ servicePort }) => servicePort,
    );
  t.strictSame(names({ held }), ["ns/s/TCP", "10.0.0.1 80", "10.9.9.9"]);
  t.strictSame(names({}), ["ns/s/TCP", "10.0.0.1", "10.9.9.9"]);
  t.match(reportOf(keptOf({}), { ...CIRCUMSTANCES, withheld }).setAside, [{ reason: ERROR.message }, {}]);
});

t.test(
  "a rejected real server or ipset entry leaves its ServicePort served, a virtual server or address does not",
  async (t) => {
    const keys = ["10.0.0.1", "10.0.0.1:80/TCP", "10.0.0.1:80/TCP to 10.1.0.1 8080", "KUBE-CLUSTER-IP 10.0.0.1,tcp:80"];
    const withheld = keys.map((key) => ({ key, error: ERROR }));
    const { setAside } = reportOf(keptOf({}), { ...CIRCUMSTANCES, withheld });
    t.strictSame(
      setAside.map(({ item, partial = false }) => [item, partial]),
      keys.map((key, index) => [key, index > 1]),
    );
  },
);

t.test("a pass that could not look says why", async (t) => {
  const syntax = new RuleSyntaxError(3, "hello", "not a rule");
  t.match(blindReport(9, ERROR, CIRCUMSTANCES), {
    elapsed: 9,
    scope: "full",
    steps: 0,
    failure: { step: "bind", code: "EINVAL", words: ERROR.message },
  });
  t.match(blindReport(9, syntax, CIRCUMSTANCES).failure, { step: "observe", code: "syntax", words: syntax.message });
});
