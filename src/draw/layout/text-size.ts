// How much room does text take?

/** Pixels. All text is in a font of one width, so its length says its width; a font that is absent has a like one. */
export const SIZES = {
  name: { font: 12, line: 16 },
  note: { font: 10.5, line: 14 },
  label: { font: 10.5, line: 13 },
  title: { font: 14, line: 30 },
} as const;

/** Width of a letter in parts of the font's size: Menlo and DejaVu Sans Mono have 0.602, others less. */
const LETTER = 0.605;

/** Pixels that the longest of these lines needs at most. */
export function textWidth(lines: readonly string[], { font }: { readonly font: number }): number {
  return Math.ceil(Math.max(0, ...lines.map((line) => [...line].length)) * font * LETTER);
}
