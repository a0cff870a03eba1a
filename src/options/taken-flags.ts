// Which arguments of a command line are flags of the table, and which are left for others to read?
import { InputError } from "../errors.ts";
import type { GivenFlags } from "./flags.ts";
import type { FlagRow } from "./row.ts";
import type { Texts } from "./value-type.ts";

export interface TakenFlags {
  readonly given: GivenFlags;
  /** All other arguments, in order. */
  readonly rest: readonly string[];
}

/** Kinds of value that stand for `true` when the flag stands alone. */
const ALONE: ReadonlySet<string> = new Set(["bool", "version"]);

/**
 * Takes the flags of these rows out of the arguments, as Go's flag library reads them: `--name=value`, `--name value`,
 * a bool alone or with `=`, underscores for dashes, `-v 4`, `-v=4` and `-v4`. Throws InputError where a value is missing.
 */
export function takeFlags(args: readonly string[], rows: readonly FlagRow[]): TakenFlags {
  const given = new Map<string, Texts>();
  const rest: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--") return { given, rest: [...rest, ...args.slice(index)] };
    const found = find(arg, rows);
    if (!found) {
      rest.push(arg);
      continue;
    }
    const { row } = found;
    const text = found.text ?? (ALONE.has(row.typeName) ? "true" : args[++index]);
    if (text === undefined) throw new InputError({}, `flag needs an argument: ${arg}`);
    const [first, ...more] = [...(given.get(row.flag) ?? []), text];
    given.set(row.flag, [first ?? text, ...more]);
  }
  return { given, rest };
}

function find(arg: string, rows: readonly FlagRow[]): { readonly row: FlagRow; readonly text?: string } | undefined {
  const [, name, , value] = /^--([^=]+)(=([\s\S]*))?$/.exec(arg) ?? [];
  if (name !== undefined) {
    const row = rows.find(({ flag }) => flag === name.replaceAll("_", "-"));
    return row && { row, ...(value === undefined ? {} : { text: value }) };
  }
  const short = rows.find(({ letter }) => letter !== undefined && arg.startsWith(`-${letter}`));
  if (!short || arg.startsWith("--")) return undefined;
  const text = arg.slice(2).replace(/^=/, "");
  return text === "" ? { row: short } : { row: short, text };
}
