// Tests of `/rules`: what is in force, what is not, and why.
import t from "tap";
import { goTime } from "../../src/serve/go-time.ts";
import { RulesPage } from "../../src/serve/rules-page.ts";
import { buildReport } from "../support/metrics.ts";
import { question } from "../support/question.ts";

const START = Date.parse("2026-01-02T03:04:05Z");

/** A page, and what it says after so many seconds. */
function setUp(fallback?: string) {
  const time = { seconds: 0 };
  const now = () => START + time.seconds * 1000;
  const page = new RulesPage({ mode: "iptables", nodeName: "n1", now, ...(fallback !== undefined && { fallback }) });
  const read = async () => JSON.parse((await page.answer(question())).body);
  return { time, page, read, observer: page.observer };
}

const at = (seconds: number) => goTime(START + seconds * 1000);

const FAILURE = { step: "iptables", code: "4", words: "nf_tables unavailable" };
const OWNED = { filter: 7, nat: 21 };

t.test("before any loop began", async (t) => {
  const { read } = setUp();
  t.strictSame(await read(), { node: "n1", mode: "iptables", now: at(0), families: {} });
});

t.test("before the first pass", async (t) => {
  const { read, observer, time } = setUp("no IPVS here");
  observer.began("IPv4");
  time.seconds = 2;
  t.strictSame(await read(), {
    node: "n1",
    mode: "iptables",
    fallback: "no IPVS here",
    now: at(2),
    families: {
      IPv4: {
        upToDate: false,
        changesWaiting: false,
        applied: { filter: 0, nat: 0 },
        quarantined: [],
        drift: { lines: 0 },
        passes: 0,
        since: at(0),
      },
    },
  });
});

t.test("the layout, and why it is not the one that was asked for", async (t) => {
  const why = { layout: "Compat", layoutFallback: "the kernel has no ipset" };
  const page = new RulesPage({ mode: "iptables", nodeName: "n1", now: () => START, ...why });
  t.match(JSON.parse((await page.answer(question())).body), { mode: "iptables", ...why });
});

t.test("a pass that succeeded, and the flows behind it", async (t) => {
  const { read, observer, time } = setUp();
  observer.began("IPv6");
  observer.queued("IPv6");
  t.match((await read()).families.IPv6, { upToDate: false, changesWaiting: true });
  time.seconds = 1;
  const report = { elapsed: 41.3, scope: "full", steps: 2, sent: { filter: 3, nat: 5 }, owned: () => OWNED } as const;
  observer.changed("Service", { arrived: 1, pending: 1 });
  observer.progressed("IPv6", { done: 1, of: 2, rules: 8 });
  observer.passed("IPv6", buildReport({ ...report, withoutLocalEndpoints: { internal: 1, external: 2 } }));
  observer.flushed("IPv6", { elapsed: 3.6, deleted: 4 });
  t.strictSame((await read()).families.IPv6, {
    upToDate: true,
    changesWaiting: false,
    applied: OWNED,
    quarantined: [],
    lastPass: {
      at: at(1),
      failed: false,
      scope: "full",
      milliseconds: 41,
      steps: 2,
      sent: { filter: 3, nat: 5 },
      refusedRestores: 0,
    },
    lastFlush: { at: at(1), milliseconds: 4, deleted: 4 },
    withoutLocalEndpoints: { internal: 1, external: 2 },
    drift: { lines: 0 },
    passes: 1,
    since: at(0),
  });
});

t.test(
  "a failure stays to be read when all is well again, and what was applied before it counts meanwhile",
  async (t) => {
    const { read, observer, time } = setUp();
    observer.began("IPv4");
    observer.passed("IPv4", buildReport({ owned: () => OWNED }));
    time.seconds = 3;
    observer.passed("IPv4", buildReport({ failure: FAILURE, refusedRestores: 2 }));
    const failed = (await read()).families.IPv4;
    t.match(failed, { upToDate: false, changesWaiting: true, applied: OWNED, lastFailure: { ...FAILURE, at: at(3) } });
    t.match(failed.lastPass, { failed: true, refusedRestores: 2 });
    time.seconds = 33;
    observer.passed("IPv4", buildReport({ owned: () => OWNED }));
    t.match((await read()).families.IPv4, { upToDate: true, passes: 3, lastFailure: { at: at(3) } });
  },
);

t.test("what is set aside, and what others changed", async (t) => {
  const { read, observer, time } = setUp();
  observer.passed("IPv4", buildReport({ driftedLines: 3 }));
  time.seconds = 9;
  observer.passed("IPv4", buildReport({ driftedLines: 2 }));
  const setAside = [{ servicePort: "shop/web:http TCP", reason: "unknown option" }];
  observer.passed("IPv4", buildReport({ setAside }));
  t.match((await read()).families.IPv4, {
    upToDate: false,
    quarantined: setAside,
    drift: { lines: 5, last: { at: at(9), lines: 2 } },
  });
});

const PEERS = [
  { peer: "127.0.0.1", status: 200 },
  { peer: "127.8.9.10", status: 200 },
  { peer: "::ffff:127.0.0.1", status: 200 },
  { peer: "::1", status: 200 },
  { peer: "192.0.2.7", status: 403 },
  { peer: "::ffff:192.0.2.7", status: 403 },
  { peer: "fe80::1%eth0", status: 403 },
  { peer: "2001:db8::127.0.0.1", status: 403 },
  { peer: "", status: 403 },
];

for (const { peer, status } of PEERS) {
  t.test(`asked from ${peer}: ${status}`, async (t) => {
    const answer = await setUp().page.answer(question({ peer }));
    t.equal(answer.status, status);
    if (status === 403) t.equal(answer.body, "only answered to clients on this node\n");
  });
}
