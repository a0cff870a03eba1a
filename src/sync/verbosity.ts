// Decides which log records are written at the configured verbosity.
import type { ModuleLevel } from "../options/option-types.ts";

interface FileLevel {
  readonly pattern: RegExp;
  readonly level: number;
}

/** What matches no file: a pattern that is none. */
const NOTHING = /(?!)/;

/** How much the log says: a level for all, which may change at any time, and higher ones for single files. */
export class Verbosity {
  #level: number;
  readonly #files: readonly FileLevel[];

  constructor(level = 0, vmodule: readonly ModuleLevel[] = []) {
    this.#level = level;
    this.#files = vmodule.map(({ filePattern, verbosity }) => ({ pattern: globOf(filePattern), level: verbosity }));
  }

  get level(): number {
    return this.#level;
  }

  /** From now on, for all files. */
  set(level: number): void {
    this.#level = level;
  }

  /**
   * Whether a record of this level is said by that file (`keeper.ts`). As in klog, of the patterns the first that matches
   * the file's name without its ending counts, and it can only make the file say more.
   */
  allows(level: number, file: string): boolean {
    if (level <= this.#level) return true;
    const name = file.replace(/\.[^.]*$/, "");
    const found = this.#files.find(({ pattern }) => pattern.test(name));
    return found !== undefined && level <= found.level;
  }
}

/** Parts of a pattern of Go's `path.Match`: `\` before what is meant as it stands, `[a-z]`, `[^a-z]`, `*`, `?`, others. */
const PARTS = /\\.|\[\^?(?:\\.|[^\]\\])+\]|[^[\\]/gsu;

/** Matches whole names; a pattern that is none matches nothing, as in klog. */
function globOf(pattern: string): RegExp {
  const parts = pattern.match(PARTS) ?? [];
  if (parts.join("") !== pattern) return NOTHING;
  try {
    return new RegExp(`^${parts.map(partOf).join("")}$`, "su");
  } catch {
    return NOTHING;
  }
}

function partOf(part: string): string {
  if (part === "*") return "[^/]*";
  if (part === "?") return "[^/]";
  if (part.startsWith("[")) return part.replace(/\\(.)/gsu, (_, char: string) => literal(char));
  return literal(part.replace(/^\\/, ""));
}

function literal(char: string): string {
  return `\\u{${Number(char.codePointAt(0)).toString(16)}}`;
}
