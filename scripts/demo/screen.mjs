// How does the demo look? Plain lines; on a terminal with a little colour, and with bars that grow.
const terminal = process.stdout.isTTY === true;
const colours = terminal && process.env.NO_COLOR === undefined;

const BAR_WIDTH = 40;
const REDRAW_MS = 80;

/** @param {string} text */
export function say(text = "") {
  console.log(text);
}

/** @param {string} text */
export function title(text) {
  say(`\n${paint(1, text)}`);
}

/** @param {string} text */
export function faint(text) {
  return paint(2, text);
}

/**
 * A bar for each name, and its share.
 * @param {readonly string[]} names
 * @param {ReadonlyMap<string, number>} counts
 */
export function bars(names, counts) {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0) || 1;
  const most = Math.max(1, ...counts.values());
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => {
    const count = counts.get(name) ?? 0;
    const bar = "█".repeat(Math.round((count / most) * BAR_WIDTH)).padEnd(BAR_WIDTH);
    const share = ((100 * count) / total).toFixed(1).padStart(5);
    return `  ${name.padEnd(width)}  ${paint(36, bar)} ${String(count).padStart(4)}  ${share} %`;
  });
}

/** Lines that are drawn again and again on a terminal, and once, at the end, elsewhere. */
export function drawing() {
  let drawn = 0;
  let last = 0;
  const draw = (/** @type {string[]} */ lines) => {
    const back = drawn > 0 ? `\x1b[${drawn}A` : "";
    process.stdout.write(back + lines.map((line) => `${terminal ? "\x1b[2K" : ""}${line}\n`).join(""));
    drawn = lines.length;
  };
  return {
    /** @param {() => string[]} lines */
    update(lines) {
      if (!terminal || performance.now() - last < REDRAW_MS) return;
      last = performance.now();
      draw(lines());
    },
    finish: draw,
  };
}

/**
 * @param {number} code
 * @param {string} text
 */
function paint(code, text) {
  return colours ? `\x1b[${code}m${text}\x1b[0m` : text;
}
