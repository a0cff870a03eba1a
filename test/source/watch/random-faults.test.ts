import fc from "fast-check";
import t from "tap";
import { rawNode, rawService, rawSlice } from "../../support/api-server/api-objects.ts";
import type { Trouble } from "../../support/api-server/faults.ts";
import { followCluster } from "../../support/api-server/followed-cluster.ts";
import { type ApiServer, type ApiServerOptions, startApiServer } from "../../support/api-server/server.ts";
import { takeSeed } from "../../support/seed.ts";
import { serverTls } from "../../support/tls-server.ts";

type Step =
  | { readonly type: "fault"; readonly trouble: Trouble; readonly resource: string | undefined; readonly times: number }
  | { readonly type: "set" | "delete"; readonly kind: "Service" | "EndpointSlice"; readonly object: number }
  | { readonly type: "node" | "drop" | "end" | "compact" | "bookmark" | "goaway" | "stop" | "restart" | "wait" };

const NAMES = 6;

const trouble: fc.Arbitrary<Trouble> = fc.oneof(
  fc.constantFrom(400, 401, 403, 404, 410, 429, 500, 503, 504).map((code) => ({ type: "status", code }) as const),
  fc.constantFrom(429, 503).map((code) => ({ type: "status", code, retryAfter: "1" }) as const),
  fc.integer({ min: 0, max: 1500 }).map((after) => ({ type: "cut", after }) as const),
  fc.integer({ min: 0, max: 1500 }).map((after) => ({ type: "reset", after }) as const),
  fc
    .constantFrom("<html>\n", "<html>", "{}\n", '{"kind":"Other","metadata":{"resourceVersion":"9"}}\n', "[1]\n")
    .map((text) => ({ type: "body", text }) as const),
  fc.constantFrom(410, 500, 504).map((code) => ({ type: "error event", code }) as const),
  fc.constantFrom("all", "nothing").map((told) => ({ type: "end", told }) as const),
  fc.constantFrom({ type: "duplicate" } as const, { type: "trickle", bytes: 50, every: 1 } as const),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant("fault" as const),
      trouble,
      resource: fc.constantFrom(undefined, "services", "endpointslices", "nodes"),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constantFrom("set" as const, "set" as const, "delete" as const),
      kind: fc.constantFrom("Service" as const, "EndpointSlice" as const),
      object: fc.nat(NAMES - 1),
    }),
  },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom("node", "drop", "end", "compact", "bookmark", "goaway", "stop", "restart", "wait", "wait")
      .map((type) => ({ type }) as Step),
  },
);

/** Carries out one step; `count` makes each written object another one. */
async function carryOut(server: ApiServer, each: Step, count: number): Promise<void> {
  if (each.type === "fault") {
    const { trouble, resource, times } = each;
    server.fault({ trouble, times, ...(resource !== undefined && { resource }) });
  } else if (each.type === "set") {
    const name = `s${each.object}`;
    const address = `10.${each.object}.0.${count % 250}`;
    server.set(
      each.kind === "Service" ? rawService(name, { port: 1000 + count }) : rawSlice(`${name}-1`, name, [address]),
    );
  } else if (each.type === "delete") {
    const name = each.kind === "Service" ? `s${each.object}` : `s${each.object}-1`;
    server.delete({ kind: each.kind, namespace: "ns", name });
  } else if (each.type === "node") server.set(rawNode("n1", `z${count}`));
  else if (each.type === "drop") server.dropWatches();
  else if (each.type === "end") server.endWatches();
  else if (each.type === "compact") server.compact();
  else if (each.type === "bookmark") server.bookmark();
  else if (each.type === "goaway") server.goAway();
  else if (each.type === "stop") await server.stop();
  else if (each.type === "restart") await server.restart();
  else await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Requests that the faults of these steps may cause: one for each hit, a relist of each resource, and the start. */
function mostRequests(steps: readonly Step[]): number {
  const hits = steps.map((each) => (each.type === "fault" ? each.times : 1));
  return 30 + 6 * hits.reduce((sum, count) => sum + count, 0);
}

interface Protocol {
  readonly name: string;
  readonly options: ApiServerOptions;
  readonly numRuns: number;
}

const TLS = { ...serverTls("server"), requestCert: false };
const PROTOCOLS: readonly Protocol[] = [
  { name: "plain HTTP/1.1", options: {}, numRuns: 12 },
  { name: "HTTP/1.1 over TLS", options: { tls: TLS, alpn: "http/1.1" }, numRuns: 6 },
  { name: "HTTP/2", options: { tls: TLS }, numRuns: 16 },
];

for (const { name, options, numRuns } of PROTOCOLS) {
  t.test(`${name}: after any faults and changes our objects are those of the server, with few requests`, async (t) => {
    const runs = { numRuns, seed: takeSeed() };
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const server = await startApiServer(options);
      server.set(rawNode("n1", "z"));
      for (let name = 0; name < NAMES; name += 2) server.set(rawService(`s${name}`));
      const cluster = followCluster(t, { server });
      let isUp = true;
      for (const [count, each] of steps.entries()) {
        const isRepeated = each.type === (isUp ? "restart" : "stop");
        if (isRepeated) continue;
        if (each.type === "stop" || each.type === "restart") isUp = each.type === "restart";
        await carryOut(server, each, count);
      }
      if (!isUp) await server.restart();
      await cluster.until("all objects are right and watched", () => {
        const isComplete = cluster.snapshot() !== undefined && server.watches() === 3;
        return isComplete && cluster.differences().length === 0 && [...cluster.connected.values()].every(Boolean);
      });
      const requests = server.requests.length;
      await cluster.stop();
      await server.close();
      if (requests > mostRequests(steps)) throw new Error(`${requests} requests, of ${mostRequests(steps)}`);
    });
    await fc.assert(property, runs);
  });
}
