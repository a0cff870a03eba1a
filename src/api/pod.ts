// Reads a v1 Pod.
import type { Place } from "../errors.ts";
import { parseAddress } from "../net/address.ts";
import { type Fields, readObject, usable } from "./checked-object.ts";
import { DNS_SUBDOMAIN } from "./grammar.ts";
import { readMetadata } from "./metadata.ts";
import type { Pod } from "./objects.ts";
import { quote } from "./quote.ts";
import type { Reading } from "./reading.ts";

/** Reads a Pod: where it runs and its addresses, none while it has no status. */
export function readPod(raw: unknown, place: Place): Reading<Pod> {
  return readObject(raw, place, "Pod", readFields);
}

function readFields(fields: Fields): Pod | undefined {
  const metadata = readMetadata(fields, DNS_SUBDOMAIN);
  if (!metadata) return undefined;
  const { namespace, name } = metadata;
  const status = fields.object("status");
  const several = usable(usable(status?.objects("podIPs")).map((each) => readAddress(each, "ip")));
  const single = (status && readAddress(status, "podIP")) ?? "";
  return {
    kind: "Pod",
    namespace,
    name,
    nodeName: fields.object("spec")?.text("nodeName", DNS_SUBDOMAIN) ?? "",
    ips: several.length > 0 || single === "" ? several.filter((ip) => ip !== "") : [single],
  };
}

/** Canonical; empty where there is none, undefined where it cannot be used. */
function readAddress(fields: Fields, name: string): string | undefined {
  const written = fields.text(name);
  if (!written) return written;
  const parsed = parseAddress(written)?.text;
  if (parsed === undefined) fields.report(`must be an IP address, not ${quote(written)}`, name);
  return parsed;
}
