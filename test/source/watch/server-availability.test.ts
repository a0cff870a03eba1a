import t from "tap";
import { type ApiAnswer, type ApiRequest, ConnectionError, type RequestPhase } from "../../../src/source/connection.ts";
import { ServerAvailability } from "../../../src/source/watch/server-availability.ts";
import { settle } from "../../support/clock.ts";
import { HandTiming } from "../../support/timing.ts";

type Result = number | RequestPhase | "hang" | Readonly<Record<string, string>>;

const HTML = { "content-type": "text/html" };

/** A server whose answers are set by the test: a status, headers of a 503 or 200, a failure of that phase, or none. */
class Scene {
  readonly timing = new HandTiming();
  /** When which resource was asked for, in milliseconds. */
  readonly requests: string[] = [];
  result: Result = 200;
  readonly #listeners = new Set<() => void>();
  readonly availability = new ServerAvailability(
    {
      server: "https://server",
      send: (request) => this.#send(request),
      onConnected: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      close: async () => {},
    },
    this.timing,
  );
  readonly stop = new AbortController();

  /** One request; gives its status or how it failed. */
  async ask(resource: string, verb = "watch"): Promise<string> {
    const path = verb === "watch" ? `/${resource}?watch=true` : `/${resource}`;
    try {
      return String(
        (await this.availability.send(resource, { method: "GET", path, signal: AbortSignal.any([this.stop.signal]) }))
          .status,
      );
    } catch (error) {
      return error instanceof Error ? error.message : "no error";
    } finally {
      this.availability.ended(resource);
    }
  }

  /** Asks for a resource until it is answered with 200 by the API server. */
  async follow(resource: string): Promise<void> {
    while (((await this.ask(resource)) !== "200" || this.result === HTML) && !this.stop.signal.aborted);
  }

  connect(): void {
    for (const listener of this.#listeners) listener();
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  async #send({ path, signal }: ApiRequest): Promise<ApiAnswer> {
    this.requests.push(`${Math.round(this.timing.now())} ${path.replace(/^.|\?.*/g, "")}`);
    const { result } = this;
    if (typeof result === "string") {
      if (result === "hang") await new Promise((resolve) => signal.addEventListener("abort", resolve));
      throw new ConnectionError("https://server", "ETEST", "failed", result === "hang" ? "request" : result);
    }
    const [status, headers] = typeof result === "number" ? [result, {}] : ["retry-after" in result ? 503 : 200, result];
    return { status, headers: new Map(Object.entries(headers)), body: (async function* () {})() };
  }
}

const RESOURCES = ["services", "endpointslices", "nodes"];

/** Starts following and leaves the promise alone. */
async function start(scene: Scene): Promise<void> {
  void Promise.all(RESOURCES.map((resource) => scene.follow(resource)));
  await settle();
}

const moments = (scene: Scene) => scene.requests.map((request) => Number(request.split(" ")[0]));

t.test(
  "while no connection can be made, one attempt at a time is made for all watches, at most half a second apart",
  async (t) => {
    const scene = new Scene();
    scene.result = "connect";
    await start(scene);
    t.equal(scene.requests.length, 3, "the first of each, sent before the outage was known");
    await scene.timing.advance(10_000);
    t.strictSame(moments(scene).slice(3, 9), [75, 225, 525, 900, 1275, 1650]);
    const gaps = moments(scene).map((moment, index, all) => moment - (all[index - 1] ?? 0));
    t.ok(
      gaps.every((gap) => gap <= 1000),
      gaps.join(),
    );
    scene.stop.abort();
  },
);

t.test("after five minutes without a connection the attempts are up to five seconds apart", async (t) => {
  const scene = new Scene();
  scene.result = "connect";
  await start(scene);
  await scene.timing.advance(300_000);
  const before = scene.requests.length;
  t.ok(before < 500, `${before} attempts in five minutes`);
  await scene.timing.advance(300_000);
  const later = moments(scene).slice(before + 4);
  const gaps = later.map((moment, index) => moment - (later[index - 1] ?? moment));
  t.ok(gaps.every((gap) => gap <= 5000));
  t.ok(later.length <= 90, `${later.length} attempts in the next five`);
  scene.stop.abort();
});

t.test("all watches go on as soon as a connection stands, and the next outage begins with short delays", async (t) => {
  const scene = new Scene();
  scene.result = "connect";
  await start(scene);
  await scene.timing.advance(20_000);
  scene.result = "hang";
  await scene.timing.advance(1000);
  const before = scene.requests.length;
  scene.connect();
  await settle();
  t.equal(scene.requests.length, before + 2, "the two that waited, beside the one that connected");
  t.notOk(scene.availability.isDown);
  t.ok(scene.availability.isJustBack);
  await scene.timing.advance(10_000);
  t.notOk(scene.availability.isJustBack, "for ten seconds");
  scene.stop.abort();
});

for (const result of [500, 503, 429, "request", HTML] as const) {
  t.test(
    `${JSON.stringify(result)} for all resources is one outage of the server, which a good answer ends`,
    async (t) => {
      const scene = new Scene();
      scene.result = result;
      await start(scene);
      await scene.timing.advance(10_000);
      t.strictSame(moments(scene).slice(3, 8), [75, 225, 525, 900, 1275]);
      scene.connect();
      t.ok(scene.availability.isDown, "a connection is no answer");
      scene.result = 200;
      const before = scene.requests.length;
      await scene.timing.advance(1000);
      t.equal(scene.requests.length, before + 3, "all go on");
      t.notOk(scene.availability.isDown);
    },
  );
}

t.test("a 503 with Retry-After is waited for as long as it says, not longer", async (t) => {
  const scene = new Scene();
  scene.result = { "retry-after": "3" };
  await start(scene);
  await scene.timing.advance(8000);
  t.strictSame(moments(scene).slice(3), [3150, 6300]);
  scene.stop.abort();
});

t.test("a failure while another resource is answered is not one of the server", async (t) => {
  const scene = new Scene();
  const path = "/services?watch=true";
  await scene.availability.send("services", { method: "GET", path, signal: scene.stop.signal });
  for (const result of [503, "request"] as const) {
    scene.result = result;
    await scene.ask("nodes");
    t.notOk(scene.availability.isDown, String(result));
  }
  scene.availability.ended("services");
  await scene.ask("nodes");
  t.ok(scene.availability.isDown, "once the other has ended");
});

t.test("a 401, 403, 404 or 410 is the answer of a server that works", async (t) => {
  const scene = new Scene();
  for (const result of [401, 403, 404, 410]) {
    scene.result = result;
    t.equal(await scene.ask("nodes"), String(result));
    t.notOk(scene.availability.isDown);
  }
});

t.test("a watch whose answer does not begin within 15 seconds is given up, a list after 30", async (t) => {
  for (const [verb, seconds] of [
    ["watch", 15],
    ["list", 30],
  ] as const) {
    const scene = new Scene();
    scene.result = "hang";
    const asked = scene.ask("services", verb);
    await settle();
    await scene.timing.advance(seconds * 1000);
    t.equal(await asked, `https://server: no answer within ${seconds} s`);
    t.ok(scene.availability.isDown);
  }
});

t.test("a request that was sent before the last good answer and fails late ends nothing", async (t) => {
  const scene = new Scene();
  scene.result = "hang";
  const late = scene.ask("nodes");
  await settle();
  scene.result = 200;
  await scene.ask("services");
  await scene.timing.advance(15_000);
  t.match(await late, /no answer/);
  t.notOk(scene.availability.isDown);
});

t.test("credentials that cannot be read are tried more and more rarely", async (t) => {
  const scene = new Scene();
  const failure = new ConnectionError("https://server", "CREDENTIALS", "no token", "connect");
  const availability = new ServerAvailability(
    {
      server: "https://server",
      send: async ({ path }) => {
        scene.requests.push(`${Math.round(scene.timing.now())} ${path}`);
        throw failure;
      },
      onConnected: () => () => {},
      close: async () => {},
    },
    scene.timing,
  );
  const ask = async () => {
    while (!scene.stop.signal.aborted) {
      const signal = AbortSignal.any([scene.stop.signal]);
      await availability.send("nodes", { method: "GET", path: "/nodes", signal }).catch(() => {});
    }
  };
  void ask();
  await scene.timing.advance(60_000);
  t.ok(scene.requests.length <= 25, `${scene.requests.length} attempts in a minute`);
  scene.stop.abort();
  await settle();
});

t.test("a request that is given up while it waits is not sent", async (t) => {
  const scene = new Scene();
  scene.result = "connect";
  await scene.ask("services");
  const stop = new AbortController();
  const waiting = scene.availability.admit("nodes", stop.signal);
  stop.abort();
  await waiting;
  t.equal(scene.requests.length, 1);
});

t.test("the connection has no listener any more after the end", async (t) => {
  const scene = new Scene();
  t.equal(scene.listeners, 1);
  scene.availability.close();
  t.equal(scene.listeners, 0);
});
