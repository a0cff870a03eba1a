// What is said of one option, whatever its value is?
import type { Plain, ValueType } from "./value-type.ts";

export interface About {
  /** One sentence, for `--help`. */
  readonly meaning: string;
  /** Name of its flag, without dashes. */
  readonly flag?: string;
  /** One-letter flag. */
  readonly letter?: string;
  /** A pointer in the configuration file: zero is a value of its own there, only null means the default. */
  readonly pointer?: true;
  /** Not in the printed configuration while it has its default. */
  readonly omitted?: true;
  /** Changes rules, so commands that only compute rules take it too. */
  readonly rules?: true;
  /** What to use instead. */
  readonly deprecated?: string;
}

export interface Row<T> extends About {
  readonly type: ValueType<T>;
  readonly default: T;
}

/** One row of the table. */
export function row<T>(type: ValueType<T>, initial: NoInfer<T>, about: About): Row<T> {
  return { ...about, type, default: initial };
}

/** What `--help` shows of a flag. */
export interface FlagRow extends About {
  readonly flag: string;
  /** Name of the kind of value; `bool` may stand alone. */
  readonly typeName: string;
  readonly defaultValue: Plain;
}

/** The row as a flag; undefined where it has none. */
export function flagRowOf<T>(given: Row<T>): FlagRow | undefined {
  const { type, default: initial, flag, ...about } = given;
  return flag === undefined ? undefined : { ...about, flag, typeName: type.name, defaultValue: type.print(initial) };
}
