// Checks that an object defined twice is reported only if the definitions differ.
import t from "tap";
import { LintObjects } from "../../src/commands/lint-objects.ts";
import { writtenObjectsOf } from "../../src/source/manifest-text.ts";

const NODE = `apiVersion: v1
kind: Node
metadata: {name: worker-a, labels: {topology.kubernetes.io/zone: z1}}
spec: {podCIDRs: [10.244.0.0/24]}
status: {addresses: [{type: InternalIP, address: 192.0.2.10}]}
`;

const SERVICE = `apiVersion: v1
kind: Service
metadata: {namespace: shop, name: cart, annotations: {note: one}}
spec:
  clusterIP: 10.96.7.1
  ports: [{port: 80, targetPort: 8080}]
`;

const SLICE = `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {namespace: shop, name: cart-1, labels: {kubernetes.io/service-name: cart}}
addressType: IPv4
ports: [{port: 8080}]
endpoints: [{addresses: [10.244.0.7, 10.244.0.8]}]
`;

interface Case {
  readonly first: string;
  readonly second: string;
  /** The reported object; undefined if the definitions are equivalent. */
  readonly reported?: string;
}

const CASES: Readonly<Record<string, Case>> = {
  "one Node in two files": { first: NODE, second: NODE },
  "one Node, written in JSON and in another order": {
    first: NODE,
    second: JSON.stringify({
      status: { addresses: [{ address: "192.0.2.10", type: "InternalIP" }] },
      spec: { podCIDRs: ["10.244.0.0/24"] },
      metadata: { labels: { "topology.kubernetes.io/zone": "z1" }, name: "worker-a" },
      kind: "Node",
      apiVersion: "v1",
    }),
  },
  "one Node, read at two points in time": { first: NODE, second: NODE.replace("{name", '{resourceVersion: "7", name') },
  "a Node in another zone": { first: NODE, second: NODE.replace("z1", "z2"), reported: "Node worker-a" },
  "one Service in two files": { first: SERVICE, second: SERVICE },
  "a Service with another port": {
    first: SERVICE,
    second: SERVICE.replace("80,", "81,"),
    reported: "Service shop/cart",
  },
  "a Service with another annotation": {
    ...{ first: SERVICE, second: SERVICE.replace("one", "two"), reported: "Service shop/cart" },
  },
  "one slice in two files": { first: SLICE, second: SLICE },
  "an EndpointSlice that differs only in a second address": {
    ...{ first: SLICE, second: SLICE.replace("10.244.0.8", "10.244.0.9"), reported: "EndpointSlice shop/cart-1" },
  },
};

function read(...files: readonly string[]): LintObjects {
  const objects = new LintObjects();
  for (const [index, text] of files.entries()) {
    for (const each of writtenObjectsOf(text, `${index + 1}.yaml`)) objects.add(each);
  }
  return objects;
}

for (const [name, { first, second, reported }] of Object.entries(CASES)) {
  t.test(name, (t) => {
    const { findings, objects } = read(first, second);
    const found = findings.map(({ id, object, message, written }) => [id, object, message, written.place.source]);
    const message = "the object is defined again in 2.yaml, document 1, with different content";
    t.strictSame(found, reported === undefined ? [] : [["duplicate-object", reported, message, "1.yaml"]]);
    t.equal(objects.size, 1);
    t.end();
  });
}

t.test("each of three definitions is compared with the previous one", (t) => {
  const { findings } = read([NODE, NODE.replace("z1", "z2"), NODE].join("---\n"));
  t.strictSame(
    findings.map(({ message, written }) => [written.place.document, message]),
    [2, 3].map((next) => [next - 1, `the object is defined again in 1.yaml, document ${next}, with different content`]),
  );
  t.end();
});
