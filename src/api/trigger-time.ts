// Reads the annotation endpoints.kubernetes.io/last-change-trigger-time of EndpointSlices.
import { InputError, type Place } from "../errors.ts";
import { enterField } from "./checked-object.ts";
import { memberOf } from "./member.ts";
import { quote } from "./quote.ts";

const ANNOTATION = "endpoints.kubernetes.io/last-change-trigger-time";

/**
 * The annotation of the control plane's EndpointSlice controller: milliseconds since 1970, with fractions; undefined
 * where there is none. The place names the object; one that is no RFC 3339 time is a problem and costs only itself.
 */
export function readTriggerTime(raw: unknown, place: Place): number | InputError | undefined {
  const written = memberOf(memberOf(memberOf(raw, "metadata"), "annotations"), ANNOTATION);
  if (written === undefined || written === null) return undefined;
  const field = `metadata.annotations[${quote(ANNOTATION)}]`;
  const time = typeof written === "string" ? parseTime(written) : undefined;
  return time ?? new InputError(enterField(place, field), `must be an RFC 3339 time, not ${quote(written)}`);
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

// Date counts whole milliseconds, the annotation nanoseconds.
function parseTime(text: string): number | undefined {
  const [, seconds, fraction = "", zone] = TIME.exec(text) ?? [];
  const whole = Date.parse(`${seconds}${zone}`);
  return Number.isNaN(whole) ? undefined : whole + Number(`0${fraction}`) * 1000;
}
