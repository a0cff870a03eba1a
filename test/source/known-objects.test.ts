import t from "tap";
import { BatchQueue } from "../../src/source/batch-queue.ts";
import { KnownObjects } from "../../src/source/known-objects.ts";
import { clusterResources } from "../../src/source/resources.ts";
import { rawNode, rawService, rawSlice } from "../support/api-server/api-objects.ts";
import { printChange } from "../support/api-server/followed-cluster.ts";

/** What a reader who keeps up hears of the objects of one kind. */
class Hearer {
  readonly known: KnownObjects;
  readonly #queue = new BatchQueue();
  readonly #batches = this.#queue.read(new AbortController().signal);

  constructor(kind: string) {
    const resource = clusterResources("n1").find((each) => each.kind === kind);
    if (!resource) throw new Error(`there is no resource of kind ${kind}`);
    this.known = new KnownObjects(resource, this.#queue);
  }

  /** Changes, problems and notes since the last time, and nothing if there are none. */
  async hear(): Promise<readonly string[]> {
    // Something that is told in any case, so that the reader need not wait.
    this.#queue.complete("Pod");
    const { value } = await this.#batches.next();
    const { changes = [], problems = [], passedOver = [] } = value ?? {};
    const told = [...changes.map(printChange), ...problems.map(({ message }) => message)];
    return [...told, ...passedOver.map(({ reason }) => reason)].filter((text) => text !== "complete Pod");
  }

  list(...objects: readonly unknown[]): void {
    this.known.begin();
    for (const object of objects) this.known.item(object);
    this.known.end();
  }
}

function service(name: string, version: number, port: unknown = 80): unknown {
  return rawService(name, { resourceVersion: String(version), port });
}

t.test("a list is told whole, and again only where it differs", async (t) => {
  const hearer = new Hearer("Service");
  hearer.list(service("a", 1), service("b", 2), service("c", 3));
  t.strictSame(await hearer.hear(), ["set Service ns/a", "set Service ns/b", "set Service ns/c", "complete Service"]);
  hearer.list(service("a", 1), service("b", 4), service("d", 5));
  t.strictSame(await hearer.hear(), [
    "set Service ns/b",
    "set Service ns/d",
    "delete Service ns/c",
    "complete Service",
  ]);
});

t.test("a list that breaks off takes nothing away", async (t) => {
  const hearer = new Hearer("Service");
  hearer.list(service("a", 1), service("b", 2));
  await hearer.hear();
  hearer.known.begin();
  hearer.known.item(service("a", 3));
  t.strictSame(await hearer.hear(), ["set Service ns/a"]);
  hearer.list(service("a", 3), service("b", 2));
  t.strictSame(await hearer.hear(), ["complete Service"]);
});

t.test("events that come twice or late change nothing", async (t) => {
  const hearer = new Hearer("Service");
  hearer.known.item(service("a", 9));
  hearer.known.item(service("a", 9));
  hearer.known.item(service("a", 10));
  t.strictSame(await hearer.hear(), ["set Service ns/a"]);
  hearer.known.item(service("a", 10));
  hearer.known.item(service("a", 9));
  hearer.known.remove(service("a", 9));
  t.strictSame(await hearer.hear(), []);
  hearer.known.remove(service("a", 11));
  t.strictSame(await hearer.hear(), ["delete Service ns/a"]);
  hearer.known.remove(service("a", 11));
  hearer.known.remove(service("never-seen", 12));
  t.strictSame(await hearer.hear(), []);
});

t.test("a list may go back, as after a restore of the cluster", async (t) => {
  const hearer = new Hearer("Service");
  hearer.list(service("a", 9));
  await hearer.hear();
  hearer.list(service("a", 3));
  t.strictSame(await hearer.hear(), ["set Service ns/a", "complete Service"]);
});

const BAD = '/api/v1/services: Service ns/a: spec.ports[0].port: must be a number, not "x"';
const KEPT = `${BAD}; the last valid version of the object stays in use`;

t.test("an object that cannot be read any more stays as it was, and is complained about once", async (t) => {
  const hearer = new Hearer("Service");
  hearer.known.item(service("a", 1));
  await hearer.hear();
  hearer.known.item(service("a", 2, "x"));
  t.strictSame(await hearer.hear(), [KEPT]);
  hearer.known.item(service("a", 3, "x"));
  t.strictSame(await hearer.hear(), [], "changed, and wrong as before");
  hearer.known.item(service("a", 4, 70_000));
  t.match(await hearer.hear(), [/not 70000; the last valid version of the object stays in use$/], "wrong differently");
  hearer.list(service("a", 4, 70_000));
  t.strictSame(await hearer.hear(), ["complete Service"], "listed again, and wrong as before");
  hearer.known.item(service("a", 5));
  t.strictSame(await hearer.hear(), ["set Service ns/a"]);
  hearer.known.item(service("a", 6, "x"));
  t.strictSame(await hearer.hear(), [KEPT], "wrong again");
  hearer.known.remove(service("a", 7));
  t.strictSame(await hearer.hear(), ["delete Service ns/a"], "gone");
  hearer.known.item(service("a", 8, "x"));
  t.strictSame(await hearer.hear(), [BAD], "another one of that name, which was never valid");
  hearer.known.item(service("a", 9, "x"));
  t.strictSame(await hearer.hear(), []);
  hearer.known.remove(service("a", 10));
  t.strictSame(await hearer.hear(), [], "the reader knows nothing of it");
});

t.test("an object of which a part cannot be read is told without that part", async (t) => {
  const hearer = new Hearer("EndpointSlice");
  hearer.known.item(rawSlice("a", "s", ["10.1.0.1", "x"], { resourceVersion: "1" }));
  t.strictSame(await hearer.hear(), [
    "set EndpointSlice ns/a",
    "/apis/discovery.k8s.io/v1/endpointslices: EndpointSlice ns/a: " +
      'endpoints[1].addresses[0]: must be an IPv4 address, not "x"',
  ]);
});

t.test("of many problems of one object the first are told, and how many more there are", async (t) => {
  const hearer = new Hearer("EndpointSlice");
  const addresses = ["10.1.0.1", ...Array.from({ length: 200 }, (_, index) => `x${index}`)];
  hearer.known.item(rawSlice("a", "s", addresses, { resourceVersion: "1" }));
  const told = await hearer.hear();
  t.equal(told.length, 12, "the object, ten problems, and the rest");
  t.equal(
    told.at(-1),
    "/apis/discovery.k8s.io/v1/endpointslices: EndpointSlice ns/a: 190 more problems of this object",
  );
});

t.test("an item of a list that names no object does not make others count as deleted", async (t) => {
  const hearer = new Hearer("Service");
  hearer.list(service("a", 1), service("b", 1));
  await hearer.hear();
  hearer.list(service("b", 1), { metadata: { name: ["a"] } });
  t.strictSame(await hearer.hear(), ["complete Service", "/api/v1/services: an object without metadata.name"]);
  hearer.list(service("b", 1));
  t.strictSame(await hearer.hear(), ["delete Service ns/a", "complete Service"]);
});

t.test("a slice that turns into one of no use goes, with the reason", async (t) => {
  const hearer = new Hearer("EndpointSlice");
  hearer.known.item(rawSlice("a", "s", ["10.1.0.1"], { resourceVersion: "1" }));
  await hearer.hear();
  hearer.known.item(rawSlice("a", "", ["10.1.0.1"], { resourceVersion: "2" }));
  t.strictSame(await hearer.hear(), ["delete EndpointSlice ns/a", "it has no label kubernetes.io/service-name"]);
});

t.test("an object without a name is complained about once", async (t) => {
  const hearer = new Hearer("Node");
  hearer.list({}, { metadata: {} });
  hearer.known.remove({});
  const complaint = "/api/v1/nodes: an object without metadata.name";
  t.strictSame(await hearer.hear(), ["complete Node", complaint]);
});

t.test("a Node has no namespace", async (t) => {
  const hearer = new Hearer("Node");
  hearer.list(rawNode("n1", "z"));
  hearer.list();
  hearer.list(rawNode("n1", "z"));
  await hearer.hear();
  hearer.list();
  t.strictSame(await hearer.hear(), ["delete Node n1", "complete Node"]);
});

t.test("a slice of an unknown address type is an error and leaves what was read of it before in use", async (t) => {
  const hearer = new Hearer("EndpointSlice");
  const sliceOf = (version: number, addressType: string) => ({
    ...rawSlice("web-1", "web", ["10.1.0.1"], { resourceVersion: String(version) }),
    addressType,
  });
  hearer.known.item(sliceOf(1, "IPv7"));
  const problem = 'addressType: must be IPv4 or IPv6 or FQDN, not "IPv7"';
  t.match(
    await hearer.hear(),
    [new RegExp(`EndpointSlice ns/web-1: ${problem}$`)],
    "never seen before: nothing to keep",
  );
  hearer.known.item(sliceOf(2, "IPv4"));
  t.strictSame(await hearer.hear(), ["set EndpointSlice ns/web-1"]);
  hearer.known.item(sliceOf(3, "IPv7"));
  t.match(await hearer.hear(), [new RegExp(`${problem}; the last valid version of the object stays in use$`)]);
  hearer.known.remove(sliceOf(4, "IPv7"));
  t.strictSame(await hearer.hear(), ["delete EndpointSlice ns/web-1"]);
});

t.test("an event that is older than the deletion of its object does not bring it back", async (t) => {
  const hearer = new Hearer("Service");
  hearer.list(service("web", 100));
  await hearer.hear();
  hearer.known.remove(service("web", 105));
  hearer.known.item(service("web", 104));
  hearer.known.remove(service("late", 107));
  hearer.known.item(service("late", 106));
  t.strictSame(await hearer.hear(), ["delete Service ns/web"]);
  hearer.known.item(service("web", 108));
  t.strictSame(await hearer.hear(), ["set Service ns/web"], "a newer one does");
  t.equal(hearer.known.changes, 3);
});

t.test("deletions are remembered until a bookmark or a list, and a thousand of them at most", async (t) => {
  const hearer = new Hearer("Service");
  hearer.list();
  await hearer.hear();
  hearer.known.remove(service("a", 200));
  hearer.known.bookmark();
  hearer.known.item(service("a", 150));
  t.strictSame(await hearer.hear(), ["set Service ns/a"]);
  for (let count = 0; count <= 1000; count++) hearer.known.remove(service(`s${count}`, 300));
  hearer.known.item(service("s0", 250));
  hearer.known.item(service("s1", 250));
  t.strictSame(await hearer.hear(), ["set Service ns/s0"]);
  hearer.list(service("s1", 250));
  t.strictSame((await hearer.hear()).includes("set Service ns/s1"), true, "a list may go back");
});
