// Reads files of packet cases (kind PacketCases): which packets must end where.
import { LineCounter, parseAllDocuments } from "yaml";
import * as z from "zod";
import { describeIssue } from "../api/checked-object.ts";
import { InputError } from "../errors.ts";
import { hostPort, parseAddress } from "../net/address.ts";
import { LineFinder } from "./line-finder.ts";
import { type Probability, readProbability } from "./probability.ts";

/** As kube-proxy's configuration spells them. */
const MODES = ["iptables", "ipvs"] as const;

export type CaseMode = (typeof MODES)[number];

/** A text of the file, and where it stands. */
export interface WrittenValue {
  readonly text: string;
  /** One-based. */
  readonly line: number;
  /** `cases[0].from`. */
  readonly field: string;
}

export type ExpectedEnd =
  | {
      /** Exactly these; equally likely unless said. */
      readonly kind: "reaches";
      /** `ADDRESS:PORT`, canonical. */
      readonly endpoints: readonly string[];
      /** By endpoint, of all or of none. */
      readonly probability: ReadonlyMap<string, Probability>;
      readonly masqueraded?: boolean | undefined;
      /** Seconds that a client stays with its endpoint; or only whether it does. */
      readonly affinity?: boolean | number | undefined;
    }
  /** For no Service: it goes its way as it is. */
  | { readonly kind: "none"; readonly masqueraded?: boolean | undefined }
  | { readonly kind: "dropped" }
  | { readonly kind: "rejected" }
  /** Clients outside have no way to the Service. */
  | { readonly kind: "unreachable" };

/** The kinds of address by which a Service is reached. */
const VIAS = ["clusterIP", "loadBalancerIP", "externalIP", "nodePort"] as const;

export interface PacketCase {
  readonly name: string;
  readonly line: number;
  readonly from: WrittenValue;
  readonly to: WrittenValue;
  /** By which address of the Service; undefined: its cluster IP, or from outside its external addresses. */
  readonly via?: (typeof VIAS)[number] | undefined;
  /** The interface it comes in by. */
  readonly in?: string | undefined;
  /** Undefined: those of the file. */
  readonly modes?: readonly CaseMode[] | undefined;
  readonly expected: ExpectedEnd;
}

export interface CaseFile {
  /** Relative to the file. */
  readonly manifests: readonly string[];
  readonly node?: string | undefined;
  /** Undefined: nothing is said. */
  readonly modes?: readonly CaseMode[] | undefined;
  readonly cases: readonly PacketCase[];
}

const ENDPOINT = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/;

const endpoint = z.string().transform((text, context) => {
  const [, bracketed, plain, port = ""] = ENDPOINT.exec(text) ?? [];
  const address = parseAddress(bracketed ?? plain ?? "");
  if (address && Number(port) > 0 && Number(port) < 65_536) return hostPort(address.text, Number(port));
  context.addIssue(`${JSON.stringify(text)} is not ADDRESS:PORT`);
  return z.NEVER;
});

const probability = z.union([z.string(), z.number()]).transform((written, context) => {
  const read = readProbability(String(written));
  if (read) return read;
  context.addIssue(`${JSON.stringify(written)} is no probability: write 1/3, 33.3 % or 0.333`);
  return z.NEVER;
});

const ENDS = ["reaches", "dropped", "rejected", "unreachable", "none"] as const;

const modes = z.array(z.enum(MODES)).min(1).optional();

const packetCase = z
  .strictObject({
    name: z.string().min(1),
    from: z.string(),
    to: z.string(),
    via: z.enum(VIAS).optional(),
    in: z.string().min(1).optional(),
    modes,
    reaches: z.array(endpoint).min(1).optional(),
    dropped: z.literal(true).optional(),
    rejected: z.literal(true).optional(),
    unreachable: z.literal(true).optional(),
    none: z.literal(true).optional(),
    masqueraded: z.boolean().optional(),
    probability: z.record(endpoint, probability).optional(),
    affinity: z.union([z.boolean(), z.int().positive()]).optional(),
  })
  .superRefine((read, context) => {
    const ends = ENDS.filter((end) => read[end] !== undefined);
    if (ends.length !== 1) context.addIssue(`must have exactly one of ${ENDS.join(", ")}`);
    const complain = (field: string, message: string) => context.addIssue({ code: "custom", message, path: [field] });
    if (read.via !== undefined && !read.to.startsWith("service/"))
      complain("via", "goes with service/NAMESPACE/NAME only");
    const isOpen = ends[0] === "reaches" || ends[0] === "none";
    if (read.masqueraded !== undefined && !isOpen) complain("masqueraded", "goes with reaches or none only");
    if (read.affinity !== undefined && !read.reaches) complain("affinity", "goes with reaches only");
    if (read.probability === undefined) return;
    const named = Object.keys(read.probability);
    const missing = read.reaches?.filter((one) => !named.includes(one)) ?? [];
    const surplus = named.filter((one) => !read.reaches?.includes(one));
    if (missing.length > 0) complain("probability", `says nothing of ${missing.join(", ")}`);
    if (surplus.length > 0) complain("probability", `names ${surplus.join(", ")}, which reaches does not`);
  });

const caseFile = z.strictObject({
  apiVersion: z.literal("fairlead/v1").optional(),
  kind: z.literal("PacketCases").optional(),
  manifests: z.array(z.string()).default([]),
  node: z.string().min(1).optional(),
  modes,
  cases: z.array(packetCase).min(1),
});

/** Reads the text of a file; problems where it cannot be used, each with file, line and field. */
export function readCaseFile(text: string, path: string): CaseFile | readonly InputError[] {
  const lines = new LineCounter();
  const [document, ...more] = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  if (document === undefined) return [new InputError({ source: path }, "is empty")];
  if (more.length > 0) return [new InputError({ source: path }, "holds more than one document")];
  const [fault] = document.errors;
  if (fault) return [new InputError({ source: `${path}:${lines.linePos(fault.pos[0]).line}` }, fault.message)];
  const parsed = caseFile.safeParse(document.toJS(), { error: wordsOf });
  const finder = new LineFinder();
  const part = { whole: { language: "yaml", text }, start: 0, end: text.length, path: [] } as const;
  const lineOf = (field: string) => finder.lineOf(part, field);
  if (parsed.success) return { ...parsed.data, cases: parsed.data.cases.map((each, at) => caseOf(each, at, lineOf)) };
  return parsed.error.issues.flatMap(faultsIn).map(({ field, reason }) => {
    return new InputError({ source: `${path}:${lineOf(field)}`, ...(field === "" ? {} : { field }) }, reason);
  });
}

interface Fault {
  readonly field: string;
  readonly reason: string;
}

function faultsIn(issue: z.core.$ZodIssue): readonly Fault[] {
  if (issue.code !== "unrecognized_keys") return [{ field: printPath(issue.path), reason: issue.message }];
  return issue.keys.map((key) => ({ field: printPath([...issue.path, key]), reason: "there is no such field" }));
}

function printPath(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    return /^\w{1,60}$/.test(String(step)) ? `.${String(step)}` : `[${JSON.stringify(String(step))}]`;
  });
  return steps.join("").replace(/^\./, "");
}

/** Checks of our own have words already. */
function wordsOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "invalid_type":
      return describeIssue(issue);
    case "invalid_value":
      return `must be ${issue.values.map(String).join(" or ")}`;
    case "too_small":
      return issue.origin === "int" || issue.origin === "number" ? "must be above 0" : "must not be empty";
    default:
      return undefined;
  }
}

function caseOf(read: z.infer<typeof packetCase>, at: number, lineOf: (field: string) => number): PacketCase {
  const written = (name: "from" | "to"): WrittenValue => {
    const field = `cases[${at}].${name}`;
    return { text: read[name], line: lineOf(field), field };
  };
  return {
    name: read.name,
    line: lineOf(`cases[${at}]`),
    from: written("from"),
    to: written("to"),
    via: read.via,
    in: read.in,
    modes: read.modes,
    expected: expectedOf(read),
  };
}

function expectedOf({ reaches, dropped, none, unreachable, ...rest }: z.infer<typeof packetCase>): ExpectedEnd {
  const { masqueraded, affinity } = rest;
  if (none) return { kind: "none", masqueraded };
  if (unreachable) return { kind: "unreachable" };
  if (!reaches) return dropped ? { kind: "dropped" } : { kind: "rejected" };
  const shares = new Map(Object.entries(rest.probability ?? {}));
  return { kind: "reaches", endpoints: reaches, probability: shares, masqueraded, affinity };
}
