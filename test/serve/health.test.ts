// Tests of `/healthz` and `/livez`.
import t from "tap";
import { goTime } from "../../src/serve/go-time.ts";
import { Health, Interruptions } from "../../src/serve/health.ts";
import { HandClock } from "../support/clock.ts";
import { buildReport } from "../support/metrics.ts";

const START = Date.parse("2026-01-02T03:04:05.600Z");
const HEADERS = { "Content-Type": "application/json", "X-Content-Type-Options": "nosniff" };
const STAYS = { deleting: false, toBeDeleted: false };
const FAILED = buildReport({ failure: { step: "iptables", code: "1", words: "no" } });

/** A proxy whose changes may wait a minute, and what it says at that many milliseconds behind the start. */
function setUp() {
  const clock = new HandClock();
  const health = new Health({ clock, now: () => START + clock.now(), timeout: 60_000 });
  return { clock, health, observer: health.observer };
}

const at = (milliseconds: number) => goTime(START + milliseconds);

t.test("before anything began: alive, but on a node that nobody has seen", async (t) => {
  const { health } = setUp();
  t.equal(health.healthy(), true);
  t.strictSame(health.livez(), {
    status: 200,
    headers: HEADERS,
    body: `{"lastUpdated":"${at(0)}","currentTime":"${at(0)}","healthy":true}`,
  });
  t.strictSame(health.healthz(), {
    status: 503,
    headers: HEADERS,
    body: `{"lastUpdated":"0001-01-01T00:00:00Z","currentTime":"${at(0)}","nodeEligible":false,"healthy":true}`,
  });
});

t.test("both families in order, and now as last update while all is well", async (t) => {
  const { clock, health, observer } = setUp();
  observer.began("IPv6");
  await clock.advance(250);
  observer.began("IPv4");
  await clock.advance(1_000);
  health.sawNode(STAYS);
  const status = `{"IPv4":{"lastUpdated":"${at(250)}","healthy":true},"IPv6":{"lastUpdated":"${at(0)}","healthy":true}}`;
  t.strictSame(health.healthz(), {
    status: 200,
    headers: HEADERS,
    body: `{"lastUpdated":"${at(1250)}","currentTime":"${at(1250)}","nodeEligible":true,"healthy":true,"status":${status}}`,
  });
});

t.test("what the kernel rejects is counted for each family, and is no reason to answer 503", async (t) => {
  const { health, observer } = setUp();
  observer.began("IPv4");
  const setAside = [
    { servicePort: "shop/web:http/TCP", reason: "no" },
    { servicePort: "shop/api:http/TCP", reason: "no", item: "KUBE-CLUSTER-IP 10.0.0.1,tcp:80", partial: true } as const,
    { servicePort: "shop/db:sql/TCP", reason: "no", item: "10.0.0.2:80/TCP" },
  ];
  observer.passed("IPv4", buildReport({ setAside }));
  const { status, body } = health.livez();
  t.equal(status, 200);
  t.match(JSON.parse(body), { status: { IPv4: { healthy: true, quarantinedServicePorts: 2, rejectedItems: 2 } } });
  observer.passed("IPv4", buildReport());
  t.strictSame(Object.keys(JSON.parse(health.livez().body).status.IPv4), ["lastUpdated", "healthy"]);
});

t.test("a change that waits as long as it may makes its family ill, and the newest update is shown", async (t) => {
  const { clock, health, observer } = setUp();
  observer.began("IPv4");
  await clock.advance(500);
  observer.began("IPv6");
  health.sawNode(STAYS);
  observer.queued("IPv4");
  await clock.advance(30_000);
  observer.queued("IPv4");
  await clock.advance(29_999);
  t.equal(health.livez().status, 200);
  await clock.advance(1);
  const status = `{"IPv4":{"lastUpdated":"${at(0)}","healthy":false},"IPv6":{"lastUpdated":"${at(500)}","healthy":true}}`;
  t.equal(health.healthy(), false);
  t.strictSame(health.livez(), {
    status: 503,
    headers: HEADERS,
    body: `{"lastUpdated":"${at(500)}","currentTime":"${at(60_500)}","healthy":false,"status":${status}}`,
  });
  t.equal(health.healthz().status, 503);
});

t.test("only a pass that succeeds makes it well again", async (t) => {
  const { clock, health, observer } = setUp();
  observer.began("IPv4");
  observer.queued("IPv4");
  await clock.advance(60_000);
  observer.passed("IPv4", FAILED);
  t.equal(health.livez().status, 503);
  await clock.advance(1_000);
  observer.passed("IPv4", buildReport());
  t.match(health.livez(), { status: 200, body: `"IPv4":{"lastUpdated":"${at(61_000)}","healthy":true}` });
});

t.test("an idle proxy is well for ever, whatever fails while nothing waits", async (t) => {
  const { clock, health, observer } = setUp();
  observer.began("IPv4");
  observer.passed("IPv4", FAILED);
  await clock.advance(86_400_000);
  t.equal(health.livez().status, 200);
});

t.test("a family that has not begun makes nobody ill", async (t) => {
  const { clock, health, observer } = setUp();
  observer.queued("IPv6");
  await clock.advance(60_000);
  t.equal(health.livez().status, 200);
});

const NODES = [
  { name: "that stays", node: STAYS, status: 200 },
  { name: "that is being deleted", node: { ...STAYS, deleting: true }, status: 503 },
  { name: "that the autoscaler takes", node: { ...STAYS, toBeDeleted: true }, status: 503 },
];

for (const { name, node, status } of NODES) {
  t.test(`a node ${name}: ${status}, and the proxy itself is well`, async (t) => {
    const { health } = setUp();
    health.sawNode({ deleting: true, toBeDeleted: true });
    health.sawNode(node);
    const { body, ...answer } = health.healthz();
    t.equal(answer.status, status);
    t.match(JSON.parse(body), { nodeEligible: status === 200, healthy: true });
    t.equal(health.livez().status, 200);
  });
}

t.test("while the Node cannot be read both paths answer 503 with the reason", async (t) => {
  const clock = new HandClock();
  const interruptions = new Interruptions(clock);
  const health = new Health({ clock, now: () => START + clock.now(), timeout: 60_000, interruptions });
  interruptions.tell("Node", 'waiting for Node "n1"');
  interruptions.tell("Node", 'waiting for Node "n1": cannot list nodes: 403');
  for (const answer of [health.livez(), health.healthz()]) {
    t.equal(answer.status, 503);
    t.strictSame(JSON.parse(String(answer.body)).reasons, ['waiting for Node "n1": cannot list nodes: 403']);
  }
  interruptions.tell("Node", undefined);
  health.sawNode(STAYS);
  t.equal(health.healthz().status, 200);
  t.notMatch(health.healthz().body, /reasons/);
});

t.test("manifests that cannot be read for a minute make /healthz answer 503, and /livez not", async (t) => {
  const clock = new HandClock();
  const interruptions = new Interruptions(clock);
  const health = new Health({ clock, now: () => START + clock.now(), timeout: 60_000, interruptions });
  health.sawNode(STAYS);
  interruptions.tell("manifests", "a.yaml: no such file or directory");
  await clock.advance(59_999);
  interruptions.tell("manifests", "a.yaml and b.yaml: no such file or directory");
  t.equal(health.healthz().status, 200, "an editor may be at work");
  await clock.advance(1);
  t.equal(health.healthz().status, 503);
  t.match(health.healthz().body, /"reasons":\["a\.yaml and b\.yaml: no such file or directory"\]/);
  t.equal(health.livez().status, 200);
  interruptions.tell("manifests", undefined);
  t.equal(health.healthz().status, 200);
});
