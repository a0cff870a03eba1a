// Prints test results as JUnit XML.
import type { CaseResult, TestResults, UnusableInput } from "./test-run.ts";

/** A suite for each case file; one that has unusable input is an error of its suite. */
export function* printJunit({ results, unusable }: TestResults): Iterable<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>';
  yield `<testsuites ${counts(results, unusable.length)}>`;
  for (const file of new Set(results.map((result) => result.file))) {
    const own = results.filter((result) => result.file === file);
    yield `  <testsuite name="${escapeText(file)}" ${counts(own, 0)}>`;
    for (const result of own) yield* printCase(result);
    yield "  </testsuite>";
  }
  for (const file of unusable) yield* printUnusable(file);
  yield "</testsuites>";
}

function* printUnusable({ path, problems }: UnusableInput): Iterable<string> {
  const name = escapeText(path);
  const text = problems.map(({ message }) => escapeText(message));
  yield `  <testsuite name="${name}" ${counts([], 1)}>`;
  yield `    <testcase name="${name} has unusable input" classname="${name}" file="${name}">`;
  yield `      <error message="${text[0]}">${text.join("\n")}</error>`;
  yield "    </testcase>";
  yield "  </testsuite>";
}

function* printCase({ name, mode, file, line, problems, ends }: CaseResult): Iterable<string> {
  const [first, ...others] = problems;
  const place = `classname="${escapeText(file)}.${mode}" file="${escapeText(file)}" line="${line}"`;
  const head = `    <testcase name="${escapeText(`${name} (${mode})`)}" ${place}`;
  if (first === undefined) return yield `${head}/>`;
  const text = [first, ...others, "ends:", ...ends].join("\n");
  yield `${head}>`;
  yield `      <failure message="${escapeText(first)}">${escapeText(text)}</failure>`;
  yield "    </testcase>";
}

function counts(results: readonly CaseResult[], errors: number): string {
  const failures = results.filter(({ problems }) => problems.length > 0).length;
  return `tests="${results.length + errors}" failures="${failures}" errors="${errors}"`;
}

/** Safe in text and in attributes. What XML cannot hold at all becomes a mark that stands for it. */
function escapeText(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
