// Decodes node facts from a file or from flags.
import * as z from "zod";
import { InputError, type Place } from "../errors.ts";
import { parseAddress } from "../net/address.ts";
import type { Family } from "../net/family.ts";

/** The node facts of a file or of flags; absent ones have their default. */
export interface GivenFacts {
  readonly addresses?: readonly { readonly interface: string; readonly address: string }[];
  readonly iptablesVersion?: string;
  readonly iptablesVariant?: "nft" | "legacy";
  readonly ip6tablesVariant?: "nft" | "legacy";
  readonly kernelVersion?: string;
  readonly cpus?: number;
  readonly counters?: { readonly invalidDropped: boolean; readonly localhostNodePorts: boolean };
  readonly tcpBeLiberal?: boolean;
  readonly families?: readonly Family[];
}

const VERSION = /^\d+(?:\.\d+)+(?:[-+.~\w]*)$/;

const address = z.string().transform((text, context) => {
  const parsed = parseAddress(text);
  if (parsed) return parsed.text;
  context.addIssue(`${JSON.stringify(text)} is not an IP address`);
  return z.NEVER;
});

const GIVEN_FACTS = z.strictObject({
  addresses: z.exactOptional(z.array(z.strictObject({ interface: z.string(), address }))),
  iptablesVersion: z.exactOptional(z.string().regex(VERSION)),
  iptablesVariant: z.exactOptional(z.enum(["nft", "legacy"])),
  ip6tablesVariant: z.exactOptional(z.enum(["nft", "legacy"])),
  kernelVersion: z.exactOptional(z.string().regex(VERSION)),
  cpus: z.exactOptional(z.int().positive()),
  counters: z.exactOptional(z.strictObject({ invalidDropped: z.boolean(), localhostNodePorts: z.boolean() })),
  tcpBeLiberal: z.exactOptional(z.boolean()),
  families: z.exactOptional(z.array(z.enum(["IPv4", "IPv6"]))),
});

/** Decodes the value of a facts file. Throws InputError with the name of the field. */
export function decodeNodeFacts(value: unknown, place: Place): GivenFacts {
  const result = GIVEN_FACTS.safeParse(value ?? {});
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join(".") ?? "";
  throw new InputError(field === "" ? place : { ...place, field }, issue?.message ?? "cannot be read");
}

/** Decodes `[IFACE=]ADDRESS` of `--node-address`. Throws InputError. */
export function decodeNodeAddress(text: string): { readonly interface: string; readonly address: string } {
  const equals = text.indexOf("=");
  const parsed = parseAddress(text.slice(equals + 1));
  if (!parsed) throw new InputError({ source: "--node-address" }, `${JSON.stringify(text)} is not [IFACE=]ADDRESS`);
  return { interface: equals < 0 ? "" : text.slice(0, equals), address: parsed.text };
}
