// What comes of objects that cannot be read, or not in whole?
import type { InputError } from "../errors.ts";
import type { Finding } from "./finding.ts";

/** Of fields whose entries are left out one by one, what that means. */
const LEFT_OUT: readonly (readonly [RegExp, string])[] = [
  [/^endpoints\[/, "no connection goes to this endpoint"],
  [/^subsets/, "no connection goes to this address"],
  [/^ports\[/, "no port of a Service has endpoints by it"],
  [/^spec\.externalIPs/, "no rule is written for it"],
  [/^status\.loadBalancer/, "no rule is written for it"],
  [
    /^spec\.loadBalancerSourceRanges/,
    "it lets nobody in; were there no other range, kube-proxy would let in everyone, and fairlead nobody",
  ],
];

/** An entry that a reader left out of an object that counts otherwise. */
export function leftOutEntry(problem: InputError): Finding {
  const { object = "", field = "" } = problem.place;
  const consequence = LEFT_OUT.find(([pattern]) => pattern.test(field))?.[1] ?? "it does not count, all else does";
  return { id: "left-out-entry", severity: "error", object, field, message: problem.reason, consequence };
}

/** An object, a document or a file that cannot be used. */
export function unreadable({ place, reason }: InputError): Finding {
  const { object = "", field = "" } = place;
  const consequence = object === "" ? "nothing of it counts" : "the whole object is left out";
  return { id: "unreadable", severity: "error", object, field, message: reason, consequence };
}

/** An object that stands elsewhere again, and says something else there. `again` says where. */
export function doubleObject(object: string, again: string): Finding {
  const message = `the same object is in ${again} again`;
  const consequence = "the later one counts, this one does not";
  return { id: "double-object", severity: "error", object, field: "metadata.name", message, consequence };
}
