// Turns problems of reading the input into findings: invalid objects, invalid entries and duplicates.
import type { InputError } from "../errors.ts";
import type { Finding } from "./finding.ts";

/** The consequence of an invalid entry, by the field that contains it. The rest of the object is still used. */
const SKIPPED_ENTRIES: readonly (readonly [RegExp, string])[] = [
  [/^endpoints\[/, "this endpoint receives no connections"],
  [/^subsets/, "this address receives no connections"],
  [/^ports\[/, "no Service port gets endpoints from it"],
  [/^spec\.externalIPs/, "no rules are created for it"],
  [/^status\.loadBalancer/, "no rules are created for it"],
  [
    /^spec\.loadBalancerSourceRanges/,
    "it allows no client; without any valid range, kube-proxy allows all clients and fairlead none",
  ],
];

/** Reports an entry that was skipped in an object that is used otherwise. */
export function invalidEntry({ place, reason }: InputError): Finding {
  const { object = "", field = "" } = place;
  return {
    ...{ id: "invalid-entry", severity: "error", object, field, message: reason },
    consequence: SKIPPED_ENTRIES.find(([pattern]) => pattern.test(field))?.[1] ?? "the entry is ignored",
    remedy: "correct the value or remove the entry",
  };
}

/** Reports an object, a document or a file that cannot be used at all. */
export function unreadable({ place, reason }: InputError): Finding {
  const { object = "", field = "" } = place;
  const [consequence, remedy] =
    object === ""
      ? ["none of its objects are used", "correct the file, or remove it from the input"]
      : ["the whole object is ignored", "correct the field"];
  return { id: "unreadable", severity: "error", object, field, message: reason, consequence, remedy };
}

/** Reports an object that is defined again, with different content, at the place `again`. */
export function duplicateObject(object: string, again: string): Finding {
  return {
    ...{ id: "duplicate-object", severity: "error", object, field: "metadata.name" },
    message: `the object is defined again in ${again}, with different content`,
    consequence: "the last definition is used, this one is ignored",
    remedy: "remove one of the two definitions",
  };
}
