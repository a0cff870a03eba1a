// Reads the command line of the daemon.
import { InputError } from "../errors.ts";
import { ALL_FLAGS, checkFlags, flagValue, type GivenFlags, takeFlags } from "../options/flags.ts";
import type { FlagRow } from "../options/table.ts";
import { UsageError } from "./failure.ts";
import { printVersion } from "./version.ts";

/** Flags that kube-proxy does not have. */
const OURS: readonly FlagRow[] = [
  {
    flag: "manifests",
    typeName: "strings",
    defaultValue: [],
    meaning: "Follow this file or directory instead of an API server; may be given again.",
  },
  { flag: "node-facts", typeName: "string", defaultValue: "", meaning: "File of facts that go before the machine's." },
];

/** All flags of the daemon. */
export const RUN_FLAGS: readonly FlagRow[] = [...ALL_FLAGS, ...OURS];

export interface DaemonFlags {
  readonly given: GivenFlags;
  /** Files and directories to follow. */
  readonly manifests: readonly string[];
  /** A file of facts that go before the machine's own. */
  readonly nodeFacts?: string;
}

export type RunArguments =
  | { readonly kind: "help" }
  | { readonly kind: "version"; readonly text: string }
  | ({ readonly kind: "run" } & DaemonFlags);

/**
 * Reads the arguments behind the name of the program, with or without the word `run`, as kube-proxy reads them. Throws
 * UsageError in its words.
 */
export function readRunArguments(args: readonly string[]): RunArguments {
  const { given, rest } = takenFlags(args[0] === "run" ? args.slice(1) : args);
  if (given.has("help") && flagValue(given, "help")) return { kind: "help" };
  const version = flagValue(given, "version");
  if (version === "true" || version === "raw") return { kind: "version", text: printVersion(version === "raw") };
  checkRest(rest);
  const nodeFacts = given.get("node-facts")?.at(-1);
  const own = { manifests: given.get("manifests") ?? [], ...(nodeFacts !== undefined && { nodeFacts }) };
  return { kind: "run", given, ...own };
}

function takenFlags(args: readonly string[]): ReturnType<typeof takeFlags> {
  try {
    const taken = takeFlags(args, RUN_FLAGS);
    checkFlags(taken.given);
    return taken;
  } catch (error) {
    throw error instanceof InputError ? new UsageError("flags", error.message) : error;
  }
}

/** What is left when all known flags are taken away must be nothing. */
function checkRest(rest: readonly string[]): void {
  const end = rest.indexOf("--");
  const before = end < 0 ? rest : rest.slice(0, end);
  const unknown = before.find((arg) => /^-./.test(arg));
  if (unknown !== undefined) throw new UsageError("flags", unknownFlag(unknown));
  const words = [...before, ...(end < 0 ? [] : rest.slice(end + 1))];
  if (words.every((word) => word === "")) return;
  const shown = words.map((word) => JSON.stringify(word)).join(" ");
  throw new UsageError("arguments", `"kube-proxy" does not take any arguments, got [${shown}]`);
}

function unknownFlag(arg: string): string {
  const name = /^--([^-=][^=]*)/.exec(arg)?.[1];
  if (name !== undefined) return `unknown flag: --${name}`;
  if (arg.startsWith("--")) return `bad flag syntax: ${arg}`;
  return `unknown shorthand flag: '${arg.charAt(1)}' in ${arg}`;
}
