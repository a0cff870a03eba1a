import t from "tap";
import { readListHead, readObjectHead, readStatus, readWatchEvent } from "../../src/api/envelope.ts";

const LISTS: Readonly<Record<string, readonly [unknown, unknown]>> = {
  "the last page": [{ resourceVersion: "7" }, { resourceVersion: "7", next: "" }],
  "a page with more to come": [
    { resourceVersion: "7", continue: "t" },
    { resourceVersion: "7", next: "t" },
  ],
  "a head that says nothing": [{ continue: null }, { resourceVersion: "", next: "" }],
  "no head": ["x", undefined],
};

for (const [name, [raw, head]] of Object.entries(LISTS)) {
  t.test(name, (t) => {
    t.strictSame(readListHead(raw), head);
    t.end();
  });
}

const HEADS: Readonly<Record<string, readonly [unknown, unknown]>> = {
  "an object of a namespace": [
    { metadata: { namespace: "a", name: "b", resourceVersion: "3", labels: {} } },
    { namespace: "a", name: "b", resourceVersion: "3" },
  ],
  "an object without namespace or version": [
    { metadata: { name: "b" } },
    { namespace: "", name: "b", resourceVersion: "" },
  ],
  "an object without name": [{ metadata: { namespace: "a" } }, undefined],
  "an object with an empty name": [{ metadata: { name: "" } }, undefined],
  "an object whose name is no text": [{ metadata: { name: 5 } }, undefined],
  "an object whose namespace is no text": [{ metadata: { name: "b", namespace: 5 } }, undefined],
  "no object": [null, undefined],
};

for (const [name, [raw, head]] of Object.entries(HEADS)) {
  t.test(name, (t) => {
    t.strictSame(readObjectHead(raw), head);
    t.end();
  });
}

const EXPIRED = { kind: "Status", code: 410, reason: "Expired", message: "too old" };
const expired = { code: 410, reason: "Expired", message: "too old", retryAfter: 0, tooLarge: false };

const STATUSES: Readonly<Record<string, readonly [unknown, unknown]>> = {
  "a status": [EXPIRED, expired],
  "a status with patience": [
    { ...EXPIRED, details: { retryAfterSeconds: 2 } },
    { ...expired, retryAfter: 2 },
  ],
  "a version that is not there yet": [
    { ...EXPIRED, details: { causes: [{ reason: "Other" }, { reason: "ResourceVersionTooLarge" }] } },
    { ...expired, tooLarge: true },
  ],
  "a bare status": [{ kind: "Status" }, { code: 0, reason: "", message: "", retryAfter: 0, tooLarge: false }],
  "something else": [{ kind: "Pod" }, undefined],
};

for (const [name, [raw, status]] of Object.entries(STATUSES)) {
  t.test(name, (t) => {
    t.strictSame(readStatus(raw), status);
    t.end();
  });
}

const object = { metadata: { name: "b", resourceVersion: "3" } };

const EVENTS: Readonly<Record<string, readonly [unknown, unknown]>> = {
  "an object that is new": [
    { type: "ADDED", object },
    { type: "set", resourceVersion: "3", raw: object },
  ],
  "an object that changed": [
    { type: "MODIFIED", object },
    { type: "set", resourceVersion: "3", raw: object },
  ],
  "an object that is gone": [
    { type: "DELETED", object },
    { type: "delete", resourceVersion: "3", raw: object },
  ],
  "an object without version": [
    { type: "ADDED", object: { metadata: {} } },
    { type: "set", resourceVersion: "", raw: { metadata: {} } },
  ],
  "a bookmark": [
    { type: "BOOKMARK", object },
    { type: "bookmark", resourceVersion: "3", endsInitial: false },
  ],
  "the end of what exists": [
    {
      type: "BOOKMARK",
      object: { metadata: { resourceVersion: "3", annotations: { "k8s.io/initial-events-end": "true" } } },
    },
    { type: "bookmark", resourceVersion: "3", endsInitial: true },
  ],
  "a bookmark of nothing": [{ type: "BOOKMARK", object: { metadata: {} } }, undefined],
  "an error": [
    { type: "ERROR", object: EXPIRED },
    { type: "error", status: expired },
  ],
  "an error that is none": [{ type: "ERROR", object }, undefined],
  "an event that nobody knows": [{ type: "MOVED", object }, undefined],
  "an object without metadata": [{ type: "ADDED", object: { metadata: null } }, undefined],
  "an object whose metadata are none": [{ type: "ADDED", object: { metadata: "x" } }, undefined],
  "an object whose version is none": [{ type: "ADDED", object: { metadata: { resourceVersion: 3 } } }, undefined],
  "an event without object": [{ type: "ADDED" }, undefined],
  "no event": [[], undefined],
};

for (const [name, [raw, event]] of Object.entries(EVENTS)) {
  t.test(name, (t) => {
    t.strictSame(readWatchEvent(raw), event);
    t.end();
  });
}
