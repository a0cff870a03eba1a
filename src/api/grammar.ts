// Which values may the fields of a Kubernetes object have? The grammars of names, ports and addresses, as zod schemas.
// Those of thousands of objects only look: a value that zod has to make anew takes ten times as long.
import * as z from "zod";
import { parseAddress } from "../net/address.ts";
import { type Cidr, parseCidr } from "../net/cidr.ts";
import { PROTOCOLS, type Protocol } from "../net/protocol.ts";
import { quote } from "./quote.ts";

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_VALUE = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

export function isLabel(text: string): boolean {
  return LABEL.test(text);
}

function isSubdomain(text: string): boolean {
  return text.length <= 253 && SUBDOMAIN.test(text);
}

function isLabelValue(text: string): boolean {
  return LABEL_VALUE.test(text);
}

/** RFC 1123 label, at most 63 characters: namespaces, Services, port names. */
export const label = named("a DNS label", isLabel);

/** RFC 1123 subdomain, at most 253 characters: Nodes, Pods, EndpointSlices. */
export const subdomain = named("a DNS subdomain", isSubdomain);

/** What a label may hold when it is not empty: zones. */
export const labelValue = named("a label value", isLabelValue);

/** The same, or nothing at all: absent, null and empty mean the empty text. */
export const emptyOrLabel = named("a DNS label", (text) => text === "" || isLabel(text));
export const optionalLabel = emptyOrLabel.nullish();
export const optionalSubdomain = optional("a DNS subdomain", isSubdomain);
export const optionalLabelValue = optional("a label value", isLabelValue);

/** A list; absent and null mean the empty one, as for the API server: `listed`. */
export function list<T extends z.ZodType>(element: T) {
  return z.array(element).nullish();
}

/** What is in a `list`. */
export function listed<T>(elements: readonly T[] | null | undefined): readonly T[] {
  return elements ?? [];
}

/** Exactly one of the words. */
export function word<T extends string>(words: readonly T[]) {
  return z.string().refine((text): text is T => words.some((each) => each === text), {
    error: ({ input }) => `must be ${words.filter((each) => each !== "").join(" or ")}, not ${quote(input)}`,
  });
}

/** One of the words; absent, null and empty text mean the API server's default. */
export function choice<T extends string>(words: readonly T[]) {
  return word<T | "">(["", ...words]).nullish();
}

/** A whole number of a range. Numbers in quotes are text, and refused as the API server refuses them. */
export function whole(least: number, most: number) {
  return z.number().refine((value) => Number.isInteger(value) && value >= least && value <= most, {
    error: ({ input }) => `must be a whole number from ${least} to ${most}, not ${quote(input)}`,
  });
}

/** 1 to 65535. */
export const port = whole(1, 65535);

/** 0 to 65535; 0, null and absent mean none. */
export const optionalPort = whole(0, 65535).nullish();

/** By default TCP: `protocolOf`. */
export const protocol = choice(PROTOCOLS);

/** What a `protocol` means. */
export function protocolOf(written: z.infer<typeof protocol>): Protocol {
  return written || "TCP";
}

/** Canonical text of an IP address. */
export const address = z.string().transform((text, context): string => {
  return parseAddress(text)?.text ?? fail(context, `must be an IP address, not ${quote(text)}`);
});

/** An address, `None` or empty: all that a cluster IP may be. */
export const clusterIP = z.string().refine((text) => text === "" || text === "None" || parseAddress(text), {
  error: ({ input }) => `must be an IP address or None, not ${quote(input)}`,
});

export const cidr = z.string().transform((text, context): Cidr => {
  return parseCidr(text) ?? fail(context, `must be a CIDR, not ${quote(text)}`);
});

function named(what: string, fits: (text: string) => boolean) {
  return z.string().refine(fits, {
    error: ({ input }) => `must be ${what}, not ${quote(input)}`,
  });
}

function optional(what: string, fits: (text: string) => boolean) {
  return named(what, (text) => text === "" || fits(text)).nullish();
}

function fail(context: z.core.$RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}
