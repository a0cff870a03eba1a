import t from "tap";
import { type WatchedResource, type WatchNotice, WatchStatus } from "../../../src/source/watch/watch-status.ts";
import { HandTiming } from "../../support/timing.ts";

class Scene {
  readonly timing = new HandTiming();
  readonly notices: WatchNotice[] = [];
  readonly observed: string[] = [];
  readonly #changes = new Map<string, number>();
  readonly services = this.#resource("Service", "services");
  readonly nodes = this.#resource("Node", "nodes");
  readonly status = new WatchStatus(this.timing, (notice) => this.notices.push(notice), {
    connected: (resource, isConnected) => this.observed.push(`${resource} ${isConnected}`),
    heard: (resource) => this.observed.push(`${resource} heard`),
    listed: (resource) => this.observed.push(`${resource} listed`),
  });

  change(resource: WatchedResource, count: number): void {
    this.#changes.set(resource.name, resource.changes() + count);
  }

  connectAll(): void {
    for (const resource of [this.services, this.nodes]) this.status.connected(resource);
  }

  /** What was logged since the last call: new reasons, and ends with their durations. */
  said(): readonly string[] {
    return this.notices.splice(0).flatMap((notice) => {
      if (notice.type === "failed") return notice.isNew ? [`${notice.scope}: ${notice.reason}`] : [];
      return [`${notice.scope} recovered after ${notice.duration}: ${JSON.stringify(notice.changes)}`];
    });
  }

  #resource(kind: "Service" | "Node", name: string): WatchedResource {
    return { kind, name, changes: () => this.#changes.get(name) ?? 0 };
  }
}

t.test("an outage ends when all watches stand again, and counts what they missed", async (t) => {
  const scene = new Scene();
  const { timing, services, nodes, status } = scene;
  scene.connectAll();
  status.failed(services, "server", "reset");
  status.failed(nodes, "server", "reset");
  await timing.advance(20_000);
  status.failed(services, "server", "refused");
  status.failed(services, "server", "refused");
  t.strictSame(scene.said(), ["server: reset", "server: refused"]);
  await timing.advance(22_000);
  status.connected(services);
  await timing.advance(5000);
  t.strictSame(scene.said(), [], "one watch is missing");
  status.connected(nodes);
  scene.change(services, 17);
  await timing.advance(1000);
  t.strictSame(scene.said(), ['server recovered after 47000: {"services":17,"nodes":0}']);
  status.connected(services);
  await timing.advance(5000);
  t.strictSame(scene.said(), [], "an ordinary new watch is no news");
});

t.test("a failure right after the return continues the outage", async (t) => {
  const scene = new Scene();
  const { timing, services, status } = scene;
  scene.connectAll();
  status.failed(services, "server", "reset");
  status.connected(services);
  await timing.advance(500);
  status.failed(services, "server", "reset");
  await timing.advance(5000);
  t.strictSame(scene.said(), ["server: reset"]);
  status.connected(services);
  await timing.advance(1000);
  t.strictSame(scene.said(), ['server recovered after 5500: {"services":0}']);
});

t.test("a server that answers one resource with an error is back", async (t) => {
  const scene = new Scene();
  const { timing, services, nodes, status } = scene;
  scene.connectAll();
  status.failed(services, "server", "reset");
  status.failed(nodes, "server", "reset");
  status.connected(services);
  status.failed(nodes, "resource", "403");
  await timing.advance(1000);
  t.strictSame(scene.said(), ["server: reset", "resource: 403", 'server recovered after 0: {"services":0,"nodes":0}']);
  status.connected(nodes);
  await timing.advance(1000);
  t.strictSame(scene.said(), ['resource recovered after 1000: {"nodes":0}']);
});

t.test("of an outage with ever new reasons twenty are reported", (t) => {
  const scene = new Scene();
  const { services, status } = scene;
  for (let reason = 0; reason < 30; reason++) status.failed(services, "server", String(reason));
  t.equal(scene.said().length, 20);
  t.end();
});

t.test("nothing is reported after the end", async (t) => {
  const scene = new Scene();
  const { timing, services, status } = scene;
  status.failed(services, "server", "refused");
  status.connected(services);
  status.close();
  await timing.advance(5000);
  t.strictSame(scene.said(), ["server: refused"]);
});

t.test("metrics hear of every step", (t) => {
  const scene = new Scene();
  const { services, status, observed } = scene;
  status.disconnected(services);
  status.listed(services);
  status.connected(services);
  status.heard(services);
  t.strictSame(observed, ["services false", "services listed", "services true", "services heard"]);
  t.end();
});
