// Prints test results as text, TAP, JUnit XML, JSON or GitHub annotations.

import { type Data, printData } from "../data-text.ts";
import { printAnnotation } from "../github-annotation.ts";
import type { CaseResult, TestResults, UnusableInput } from "./run-cases.ts";

export const TEST_FORMATS = ["text", "tap", "junit", "json", "github"] as const;

export type TestFormat = (typeof TEST_FORMATS)[number];

const COLOURS = { good: "32", bad: "31" } as const;

/** The results, in lines; only text is coloured. */
export function printResults(all: TestResults, format: TestFormat, colour: boolean): Iterable<string> {
  switch (format) {
    case "text":
      return printText(all, colour);
    case "tap":
      return printTap(all);
    case "junit":
      return printJunit(all);
    case "json":
      return printData(resultsData(all), "json");
    case "github":
      return printGithub(all);
  }
}

/** Problems of the input go to standard error. */
function* printText(all: TestResults, colour: boolean): Iterable<string> {
  for (const { file, line, name, mode, problems, outcomes } of all.results) {
    const passed = problems.length === 0;
    yield `${paint(passed ? "ok  " : "FAIL", passed ? "good" : "bad", colour)} ${name} (${mode})`;
    if (passed) continue;
    yield `     ${file}:${line}`;
    for (const problem of problems) yield `     ${problem}`;
    for (const outcome of outcomes) yield `       found: ${outcome}`;
  }
  for (const { path } of all.unusable) yield `${paint("ERROR", "bad", colour)} ${path} has unusable input`;
  yield summary(all);
}

function paint(text: string, look: keyof typeof COLOURS, colour: boolean): string {
  return colour ? `\u001b[${COLOURS[look]}m${text}\u001b[0m` : text;
}

/** Version 14, with details of failures as YAML: strings as JSON has them are YAML too. */
function* printTap({ results, unusable }: TestResults): Iterable<string> {
  yield "TAP version 14";
  yield `1..${results.length + unusable.length}`;
  for (const [index, { file, line, name, mode, problems, outcomes }] of results.entries()) {
    const passed = problems.length === 0;
    yield `${passed ? "ok" : "not ok"} ${index + 1} - ${tapText(`${name} (${mode})`)}`;
    if (passed) continue;
    yield "  ---";
    yield "  problems:";
    for (const problem of problems) yield `    - ${JSON.stringify(problem)}`;
    yield outcomes.length === 0 ? "  outcomes: []" : "  outcomes:";
    for (const outcome of outcomes) yield `    - ${JSON.stringify(outcome)}`;
    yield "  at:";
    yield `    fileName: ${JSON.stringify(file)}`;
    yield `    lineNumber: ${line}`;
    yield "  ...";
  }
  for (const [index, { path, problems }] of unusable.entries()) {
    yield `not ok ${results.length + index + 1} - ${tapText(`${path} has unusable input`)}`;
    yield "  ---";
    yield "  problems:";
    for (const { message } of problems) yield `    - ${JSON.stringify(message)}`;
    yield "  at:";
    yield `    fileName: ${JSON.stringify(path)}`;
    yield "  ...";
  }
}

function tapText(text: string): string {
  return text.replace(/[\\#]/g, "\\$&").replace(/\s+/g, " ");
}

function* printGithub(all: TestResults): Iterable<string> {
  for (const { file, line, name, mode, problems, outcomes } of all.results) {
    if (problems.length === 0) continue;
    const message = [...problems, ...outcomes.map((outcome) => `found: ${outcome}`)].join("\n");
    yield printAnnotation({ severity: "error", file, line, title: `${name} (${mode})`, message });
  }
  for (const { path, problems } of all.unusable) {
    for (const { place, message } of problems) {
      const { file = path, line } = sourceOf(place.source);
      const title = `${path} has unusable input`;
      yield printAnnotation({ severity: "error", file, ...(line === undefined ? {} : { line }), title, message });
    }
  }
  yield summary(all);
}

/** The file and line of `cases.yaml:5`; no file where a flag is the source. */
function sourceOf(source = ""): { readonly file?: string; readonly line?: number } {
  if (source === "" || source.startsWith("--")) return {};
  const [, file, line] = /^(.*):(\d+)$/.exec(source) ?? [];
  return file === undefined ? { file: source } : { file, line: Number(line) };
}

function resultsData(all: TestResults): Data {
  const { passed, failed } = passedAndFailed(all.results);
  return {
    apiVersion: "fairlead/v1",
    kind: "TestReport",
    passed,
    failed,
    cases: all.results.map(({ problems, outcomes, ...rest }) => {
      return { ...rest, passed: problems.length === 0, problems, outcomes };
    }),
    unusable: all.unusable.map(({ path, problems }) => {
      return { file: path, problems: problems.map(({ message }) => message) };
    }),
  };
}

function passedAndFailed(results: readonly CaseResult[]) {
  const failed = results.filter(({ problems }) => problems.length > 0).length;
  return { passed: results.length - failed, failed };
}

/** Never "0 passed" alone: files with unusable input are counted. */
function summary({ results, unusable }: TestResults): string {
  const { passed, failed } = passedAndFailed(results);
  const files = unusable.length === 1 ? "1 file" : `${unusable.length} files`;
  return `${passed} passed, ${failed} failed${unusable.length === 0 ? "" : `, ${files} with unusable input`}`;
}

/** A suite for each case file; one that has unusable input is an error of its suite. */
function* printJunit({ results, unusable }: TestResults): Iterable<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>';
  yield `<testsuites ${junitCounts(results, unusable.length)}>`;
  for (const file of new Set(results.map((result) => result.file))) {
    const own = results.filter((result) => result.file === file);
    yield `  <testsuite name="${escapeText(file)}" ${junitCounts(own, 0)}>`;
    for (const result of own) yield* printCase(result);
    yield "  </testsuite>";
  }
  for (const file of unusable) yield* printUnusable(file);
  yield "</testsuites>";
}

function* printUnusable({ path, problems }: UnusableInput): Iterable<string> {
  const name = escapeText(path);
  const text = problems.map(({ message }) => escapeText(message));
  yield `  <testsuite name="${name}" ${junitCounts([], 1)}>`;
  yield `    <testcase name="${name} has unusable input" classname="${name}" file="${name}">`;
  yield `      <error message="${text[0]}">${text.join("\n")}</error>`;
  yield "    </testcase>";
  yield "  </testsuite>";
}

function* printCase({ name, mode, file, line, problems, outcomes }: CaseResult): Iterable<string> {
  const [first, ...others] = problems;
  const place = `classname="${escapeText(file)}.${mode}" file="${escapeText(file)}" line="${line}"`;
  const head = `    <testcase name="${escapeText(`${name} (${mode})`)}" ${place}`;
  if (first === undefined) return yield `${head}/>`;
  const text = [first, ...others, "outcomes:", ...outcomes].join("\n");
  yield `${head}>`;
  yield `      <failure message="${escapeText(first)}">${escapeText(text)}</failure>`;
  yield "    </testcase>";
}

function junitCounts(results: readonly CaseResult[], errors: number): string {
  const failures = results.filter(({ problems }) => problems.length > 0).length;
  return `tests="${results.length + errors}" failures="${failures}" errors="${errors}"`;
}

/** Safe in text and in attributes. Characters that XML does not allow become U+FFFD. */
function escapeText(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
