import t from "tap";
import { readTriggerTime } from "../../src/api/trigger-time.ts";
import { InputError } from "../../src/errors.ts";

const FIELD = "endpoints.kubernetes.io/last-change-trigger-time";
const MOMENT = Date.UTC(2026, 0, 2, 3, 4, 5);

function read(time: unknown): number | InputError | undefined {
  return readTriggerTime({ metadata: { annotations: { [FIELD]: time } } }, { object: "EndpointSlice ns/a" });
}

const TIMES: Readonly<Record<string, readonly [unknown, number | undefined]>> = {
  "whole seconds": ["2026-01-02T03:04:05Z", MOMENT],
  "another zone": ["2026-01-02T05:04:05+02:00", MOMENT],
  milliseconds: ["2026-01-02T03:04:05.250Z", MOMENT + 250],
  nanoseconds: ["2026-01-02T03:04:05.000750500Z", MOMENT + 0.7505],
  null: [null, undefined],
};

for (const [name, [written, time]] of Object.entries(TIMES)) {
  t.test(name, (t) => {
    const read_ = read(written);
    if (time === undefined) t.equal(read_, undefined);
    else t.ok(typeof read_ === "number" && Math.abs(read_ - time) < 0.001, `${read_} is ${time}`);
    t.end();
  });
}

for (const [name, raw] of Object.entries({
  "no annotations": { metadata: {} },
  "annotations that are null": { metadata: { annotations: null } },
  "other annotations": { metadata: { annotations: { note: "x" } } },
  "no object": 7,
})) {
  t.test(`nothing is told by ${name}`, (t) => {
    t.equal(readTriggerTime(raw, {}), undefined);
    t.end();
  });
}

for (const written of ["yesterday", "2026-01-02 03:04:05Z", "2026-13-02T03:04:05Z", "2026-01-02T03:04:05", 7]) {
  t.test(`no time: ${written}`, (t) => {
    const problem = read(written);
    const field = `metadata.annotations["${FIELD}"]`;
    const message = `EndpointSlice ns/a: ${field}: must be an RFC 3339 time, not ${JSON.stringify(written)}`;
    t.equal(problem instanceof InputError && problem.message, message);
    t.end();
  });
}
