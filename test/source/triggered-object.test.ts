import t from "tap";
import { clusterResources, type Resource } from "../../src/source/resources.ts";
import { readObject } from "../../src/source/triggered-object.ts";
import { rawService, rawSlice } from "../support/api-server/api-objects.ts";

const [services, slices] = clusterResources("n1");
if (!services || !slices) throw new Error("the resources are others");

const TIME = "endpoints.kubernetes.io/last-change-trigger-time";
const timed = (time: string) => rawSlice("a", "s", ["10.1.0.1"], { annotations: { [TIME]: time } });

const CASES: Readonly<Record<string, readonly [Resource, unknown, readonly (number | undefined)[], number]>> = {
  "a slice with a time": [slices, timed("2026-01-02T03:04:05.5Z"), [Date.UTC(2026, 0, 2, 3, 4, 5, 500)], 0],
  "a slice without": [slices, rawSlice("a", "s", []), [undefined], 0],
  "a slice whose time is none": [slices, timed("now"), [undefined], 1],
  "a slice that cannot be read": [slices, { metadata: { name: "A" } }, [], 2],
  "a Service with a time": [services, rawService("a", { annotations: { [TIME]: "now" } }), [undefined], 0],
};

for (const [name, [resource, raw, times, problems]] of Object.entries(CASES)) {
  t.test(name, (t) => {
    const reading = readObject(resource, raw);
    t.strictSame(
      reading.objects.map(({ triggered }) => triggered),
      times,
    );
    t.equal(reading.problems.length, problems);
    t.end();
  });
}

t.test("the time is no part of the object", (t) => {
  const [change] = readObject(slices, timed("2026-01-02T03:04:05Z")).objects;
  const [plain] = readObject(slices, rawSlice("a", "s", ["10.1.0.1"])).objects;
  t.strictSame(change?.object, plain?.object);
  t.end();
});
