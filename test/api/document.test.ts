import t from "tap";
import { readDocument } from "../../src/api/document.ts";
import { printObject } from "../../src/api/object-name.ts";
import { fullObject, spoil } from "../support/full-objects.ts";

const service = fullObject("Service");
const bare = spoil(spoil(service, ["kind"], undefined), ["apiVersion"], undefined);

interface Outcome {
  readonly objects?: readonly string[];
  readonly problems?: readonly string[];
  readonly passedOver?: readonly string[];
}

const KINDS = ["Service", "EndpointSlice", "Endpoints", "Node", "Pod"] as const;

const CASES: Readonly<Record<string, readonly [unknown, Outcome]>> = {
  "a Service": [service, { objects: ["Service shop/web"] }],
  "every kind, in a List": [
    { apiVersion: "v1", kind: "List", items: KINDS.map(fullObject) },
    {
      objects: [
        "Service shop/web",
        "EndpointSlice shop/web-a",
        "Endpoints shop/cart",
        "Node worker-a",
        "Pod shop/cart-0",
      ],
    },
  ],
  "items of a typed list need not repeat its kind": [
    { apiVersion: "v1", kind: "ServiceList", items: [bare, spoil(bare, ["metadata", "name"], "api")] },
    { objects: ["Service shop/web", "Service shop/api"] },
  ],
  "an empty list": [{ apiVersion: "v1", kind: "List", items: null }, {}],
  "a list of something else": [
    { apiVersion: "v1", kind: "SecretList", items: [{}] },
    { passedOver: ['kind "SecretList" is not used'] },
  ],
  "a list without items to count": [
    { apiVersion: "v1", kind: "List", items: "none" },
    { problems: ['items: must be a list, not "none"'] },
  ],
  "a bad item is told by its place, the others are read": [
    { apiVersion: "v1", kind: "List", items: [null, bare, service] },
    {
      objects: ["Service shop/web"],
      problems: ["items[0]: must be an object, not null", "items[1].kind: is missing"],
    },
  ],
  "a list in a list": [
    { apiVersion: "v1", kind: "List", items: [{ apiVersion: "v1", kind: "List", items: [service] }] },
    { passedOver: ['kind "List" of "v1" is not used'] },
  ],
  "another kind": [
    { apiVersion: "apps/v1", kind: "Deployment" },
    { passedOver: ['kind "Deployment" of "apps/v1" is not used'] },
  ],
  "a kind that would break the line": [
    { apiVersion: "v1", kind: "A\nB\u009b" },
    { passedOver: ['kind "A\\nB\\u009b" of "v1" is not used'] },
  ],
  "another group's Service": [
    spoil(service, ["apiVersion"], "serving.knative.dev/v1"),
    { passedOver: ['kind "Service" of "serving.knative.dev/v1" is not used'] },
  ],
  "a version of Service that is not read": [
    spoil(service, ["apiVersion"], "v1beta3"),
    { problems: ['apiVersion: of kind Service must be v1, not "v1beta3"'] },
  ],
  "slices of the beta": [
    spoil(fullObject("EndpointSlice"), ["apiVersion"], "discovery.k8s.io/v1beta1"),
    { problems: ['apiVersion: of kind EndpointSlice must be discovery.k8s.io/v1, not "discovery.k8s.io/v1beta1"'] },
  ],
  "slices without group": [
    spoil(fullObject("EndpointSlice"), ["apiVersion"], "v1"),
    { problems: ['apiVersion: of kind EndpointSlice must be discovery.k8s.io/v1, not "v1"'] },
  ],
  "no version": [spoil(service, ["apiVersion"], undefined), { problems: ["apiVersion: is missing"] }],
  "an empty kind": [spoil(service, ["kind"], ""), { problems: ["kind: is missing"] }],
  "a kind that is no text": [{ apiVersion: "v1", kind: 3 }, { problems: ["kind: must be a string, not 3"] }],
  "a list of nothing": [[], { passedOver: ["is not a Kubernetes object (no apiVersion and kind)"] }],
};

for (const [name, [raw, { objects = [], problems = [], passedOver = [] }]] of Object.entries(CASES)) {
  t.test(name, (t) => {
    const reading = readDocument(raw, {});
    t.strictSame(reading.objects.map(printObject), objects);
    t.strictSame(
      reading.problems.map(({ message }) => message),
      problems,
    );
    t.strictSame(
      reading.passedOver.map(({ reason }) => reason),
      passedOver,
    );
    t.end();
  });
}
