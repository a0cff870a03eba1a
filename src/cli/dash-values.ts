// Gets a lone dash (standard input) past yargs, which ignores it.

const FLAGS: ReadonlySet<string> = new Set(["--from", "--to", "--against", "--rules"]);

/** In the place of a dash; no argument of a program can hold it. */
const STAND_IN = "\0";

/** Ties a lone dash to a flag before it that reads a file, and hides it where it is a path. */
export function hideDashes(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    if (FLAGS.has(arg) && args[index + 1] === "-") return [`${arg}=-`];
    if (arg !== "-") return [arg];
    return FLAGS.has(args[index - 1] ?? "") ? [] : [STAND_IN];
  });
}

/** A path as it was given. */
export function showDash(path: string): string {
  return path === STAND_IN ? "-" : path;
}
