// When is text coloured, and how?
import type { Output } from "./output.ts";

const COLOURS: Readonly<Record<string, string>> = { "+": "32", "-": "31", "!": "33", "#": "1", "@": "36" };

/** Only a terminal shows colours, and only who has not said no: by a flag, or for all programs (no-color.org). */
export function isColourWelcome(
  { streams }: Pick<Output, "streams">,
  noColour: boolean,
  { NO_COLOR = "" }: { readonly NO_COLOR?: string | undefined } = process.env,
): boolean {
  return !noColour && NO_COLOR === "" && "isTTY" in streams.stdout && streams.stdout.isTTY === true;
}

/** Lines of a diff, each in the colour of the sign that it begins with. */
export function* paintLines(lines: Iterable<string>, colour: boolean): Iterable<string> {
  for (const line of lines) {
    const code = colour ? COLOURS[line.charAt(0)] : undefined;
    yield code === undefined ? line : `\u001b[${code}m${line}\u001b[0m`;
  }
}
