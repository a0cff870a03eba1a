// Runs the API server that the measured daemon follows, over HTTP/2 or HTTP/1.1, in a process of its own so that its
// memory and time are not the daemon's. Arguments: number of Services, endpoints of each, and how lists are sent.
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createSecureServer } from "node:http2";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Collection, LISTS } from "./api-collection.ts";
import { printMembers } from "./api-object.ts";
import type { Order, Report, ServerFault } from "./api-orders.ts";
import { monotonic } from "./clock.ts";
import { changedService, type Manifest, manifestsOf } from "./cluster.ts";

/** Milliseconds between two looks whether changes are due. */
const TICK = 2;

const NODE: Manifest = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "bench" },
  status: { addresses: [{ type: "InternalIP", address: "192.0.2.10" }] },
};

const [services, endpoints, wish] = process.argv.slice(2);
let size = { services: Number(services), endpoints: Number(endpoints) };
const lists = LISTS.find((each) => each === wish) ?? "streamed";
let version = 1000;

const objects = Array.from({ length: size.services }, (_, service) => manifestsOf(service, size)).flat();
const serviceObjects = collect("Service", "v1", objects);
const slices = collect("EndpointSlice", "discovery.k8s.io/v1", objects);
const collections: ReadonlyMap<string, Collection> = new Map([
  ["/api/v1/services", serviceObjects],
  ["/apis/discovery.k8s.io/v1/endpointslices", slices],
  ["/api/v1/nodes", collect("Node", "v1", [NODE])],
  // kube-proxy lists them before its first sync.
  ["/apis/networking.k8s.io/v1/servicecidrs", collect("ServiceCIDR", "networking.k8s.io/v1", [])],
]);

const pair = { cert: readTls("server.pem"), key: readTls("server.key") };
const server = createSecureServer({ ...pair, allowHTTP1: true });
// Requests and responses of HTTP/2 behave as those of HTTP/1.1, but their types differ.
server.on("request", (...args) => void Reflect.apply(answer, undefined, args));
const sockets = new Set<Socket>();
server.on("connection", (socket: Socket) => {
  sockets.add(socket);
  socket.on("error", () => {});
  socket.on("close", () => sockets.delete(socket));
});
let fault: ServerFault | undefined;
const port = await listen(0);
report({ type: "listening", port });
process.on("message", (order: Order) => void carryOut(order));
process.on("disconnect", () => process.exit());

function listen(wish: number): Promise<number> {
  return new Promise((resolve) => {
    server.listen(wish, "127.0.0.1", () => {
      const address = server.address();
      if (typeof address === "object" && address) resolve(address.port);
    });
  });
}

function collect(kind: string, apiVersion: string, all: readonly Manifest[]): Collection {
  const members = all.filter((each) => each.kind === kind).map((each) => printMembers(each, version));
  return new Collection({ kind, apiVersion, members, version });
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "", "https://server");
  const collection = collections.get(pathname);
  if (fault?.type === "html") response.setHeader("content-type", "text/html");
  if (fault?.type === "html") return void response.end("<html><body>sign in</body></html>\n");
  if (fault?.type === "status") return refuse(response, fault);
  if (request.method === "GET" && collection) return collection.answer(response, searchParams, lists);
  if (request.method === "GET") return notFound(response);
  // Anything written is an Event; the answer is the same object.
  response.writeHead(201, { "content-type": "application/json" });
  request.pipe(response);
}

function refuse(response: ServerResponse, { code, retryAfter }: Extract<ServerFault, { type: "status" }>): void {
  const wait = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  response.writeHead(code, { "content-type": "application/json", ...wait });
  response.end(JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, message: "fault" }));
}

async function carryOut(order: Order): Promise<void> {
  if (order.type === "churn") {
    const { first, rate, seconds } = order;
    return spread(rate * seconds, seconds, (done) => change(first + done));
  }
  if (order.type === "create") {
    const present = size.services;
    return spread(order.services - present, order.seconds, (done) => create(present + done));
  }
  if (order.type === "outage") return outage(order);
  change(order.change);
  report({ type: "written", at: monotonic(), changes: 1, waiting: slices.waiting });
}

/** One replaced endpoint of one Service. */
function change(number: number): void {
  const service = changedService(size, number);
  version++;
  for (const manifest of manifestsOf(service, size, number)) {
    if (manifest.kind === "EndpointSlice") slices.write(service, printMembers(manifest, version), version);
  }
}

async function outage({ fault: begun, seconds, change: number }: Extract<Order, { readonly type: "outage" }>) {
  fault = begun;
  if (begun.type === "refused") server.close();
  for (const socket of sockets) socket.destroy();
  await sleep((seconds * 1000) / 2);
  change(number);
  if (begun.forgets) for (const collection of collections.values()) collection.forget();
  await sleep((seconds * 1000) / 2);
  fault = undefined;
  if (begun.type === "refused") await listen(port);
  report({ type: "written", at: monotonic(), changes: 1, waiting: 0 });
}

/** A new Service, then its slice. */
function create(service: number): void {
  size = { ...size, services: service + 1 };
  for (const manifest of manifestsOf(service, size)) {
    version++;
    const collection = manifest.kind === "Service" ? serviceObjects : slices;
    collection.write(service, printMembers(manifest, version), version);
  }
}

/** Makes so many writes, evenly over the time, and reports the end. */
async function spread(writes: number, seconds: number, write: (done: number) => void): Promise<void> {
  const start = monotonic();
  let [done, waiting, at] = [0, 0, 0];
  while (done < writes) {
    const due = Math.min(writes, Math.ceil(((monotonic() - start) / (seconds * 1000)) * writes));
    for (; done < due; done++) write(done);
    at = monotonic();
    waiting = Math.max(waiting, slices.waiting);
    await sleep(TICK);
  }
  report({ type: "written", at, changes: writes, waiting });
}

function notFound(response: ServerResponse): void {
  response.writeHead(404, { "content-type": "application/json" });
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", code: 404, reason: "NotFound" };
  response.end(JSON.stringify({ ...status, message: "the server could not find the requested resource" }));
}

function report(news: Report): void {
  process.send?.(news);
}

function readTls(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url)), "utf8");
}
