// What change does an object mean that the API server tells of?
import { printObject } from "../api/object-name.ts";
import type { Reading } from "../api/reading.ts";
import { readTriggerTime } from "../api/trigger-time.ts";
import { InputError } from "../errors.ts";
import type { Resource } from "./resources.ts";
import type { SetObject } from "./source.ts";

/** Reads an object, and of an EndpointSlice also when the cause of its change came about. */
export function readObject({ path, read }: Resource, raw: unknown): Reading<SetObject> {
  const reading = read(raw, { source: path });
  const [object] = reading.objects;
  if (!object) return { ...reading, objects: [] };
  if (object.kind !== "EndpointSlice") return { ...reading, objects: [{ type: "set", object }] };
  const triggered = readTriggerTime(raw, { source: path, object: printObject(object) });
  if (triggered === undefined) return { ...reading, objects: [{ type: "set", object }] };
  if (!(triggered instanceof InputError)) return { ...reading, objects: [{ type: "set", object, triggered }] };
  return { ...reading, objects: [{ type: "set", object }], problems: [...reading.problems, triggered] };
}
