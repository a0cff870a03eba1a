// How are results told: to people, to harnesses, to GitHub?
import { printAnnotation } from "./github-annotation.ts";
import { printJunit } from "./test-junit.ts";
import type { CaseResult } from "./test-run.ts";

export const TEST_FORMATS = ["text", "tap", "junit", "github"] as const;

export type TestFormat = (typeof TEST_FORMATS)[number];

const COLOURS = { good: "32", bad: "31" } as const;

/** The results, in lines; only text is coloured. */
export function printResults(results: readonly CaseResult[], format: TestFormat, colour: boolean): Iterable<string> {
  switch (format) {
    case "text":
      return printText(results, colour);
    case "tap":
      return printTap(results);
    case "junit":
      return printJunit(results);
    case "github":
      return printGithub(results);
  }
}

function* printText(results: readonly CaseResult[], colour: boolean): Iterable<string> {
  for (const { file, line, name, mode, problems, ends } of results) {
    const passed = problems.length === 0;
    yield `${paint(passed ? "ok  " : "FAIL", passed ? "good" : "bad", colour)} ${name} (${mode})`;
    if (passed) continue;
    yield `     ${file}:${line}`;
    for (const problem of problems) yield `     ${problem}`;
    for (const end of ends) yield `       found: ${end}`;
  }
  yield summary(results);
}

function paint(text: string, look: keyof typeof COLOURS, colour: boolean): string {
  return colour ? `\u001b[${COLOURS[look]}m${text}\u001b[0m` : text;
}

/** Version 14, with details of failures as YAML: strings as JSON has them are YAML too. */
function* printTap(results: readonly CaseResult[]): Iterable<string> {
  yield "TAP version 14";
  yield `1..${results.length}`;
  for (const [index, { file, line, name, mode, problems, ends }] of results.entries()) {
    const passed = problems.length === 0;
    const text = `${name} (${mode})`.replace(/[\\#]/g, "\\$&").replace(/\s+/g, " ");
    yield `${passed ? "ok" : "not ok"} ${index + 1} - ${text}`;
    if (passed) continue;
    yield "  ---";
    yield "  problems:";
    for (const problem of problems) yield `    - ${JSON.stringify(problem)}`;
    yield ends.length === 0 ? "  ends: []" : "  ends:";
    for (const end of ends) yield `    - ${JSON.stringify(end)}`;
    yield "  at:";
    yield `    fileName: ${JSON.stringify(file)}`;
    yield `    lineNumber: ${line}`;
    yield "  ...";
  }
}

function* printGithub(results: readonly CaseResult[]): Iterable<string> {
  for (const { file, line, name, mode, problems, ends } of results) {
    if (problems.length === 0) continue;
    const message = [...problems, ...ends.map((end) => `found: ${end}`)].join("\n");
    yield printAnnotation({ severity: "error", file, line, title: `${name} (${mode})`, message });
  }
  yield summary(results);
}

function summary(results: readonly CaseResult[]): string {
  const failed = results.filter(({ problems }) => problems.length > 0).length;
  return `${results.length - failed} passed, ${failed} failed`;
}
