// How are findings told: to people, to programs, to GitHub?
import type { Finding, Severity } from "../lint/finding.ts";

export const LINT_FORMATS = ["text", "json", "github"] as const;
export type LintFormat = (typeof LINT_FORMATS)[number];

/** A finding, and where in the files it is. */
export interface LocatedFinding extends Finding {
  /** `-` for standard input. */
  readonly file: string;
  /** One-based; 0: not told. */
  readonly document: number;
  /** One-based; 0: not told. */
  readonly line: number;
}

/** The findings, in lines. */
export function printFindings(findings: readonly LocatedFinding[], format: LintFormat): Iterable<string> {
  switch (format) {
    case "json":
      return JSON.stringify(findings, undefined, 2).split("\n");
    case "github":
      return findings.map(printAnnotation);
    case "text":
      return printText(findings);
  }
}

function* printText(findings: readonly LocatedFinding[]): Generator<string> {
  for (const { severity, id, file, line, message, consequence, ...rest } of findings) {
    const place = line === 0 ? file : `${file}:${line}`;
    yield `${place}: ${severity}: ${subjectOf(rest)}${message} [${id}]`;
    yield `  ${consequence}`;
  }
  yield findings.length === 0 ? "no findings" : `${count(findings, "error")}, ${count(findings, "warning")}`;
}

function subjectOf({ object, field }: Pick<Finding, "object" | "field">): string {
  return [object, field]
    .filter((part) => part !== "")
    .map((part) => `${part}: `)
    .join("");
}

function count(findings: readonly Finding[], severity: Severity): string {
  const number = findings.filter((each) => each.severity === severity).length;
  return `${number} ${severity}${number === 1 ? "" : "s"}`;
}

/** A workflow command: the runner shows it beside the line. */
function printAnnotation({ severity, id, file, line, message, consequence, ...rest }: LocatedFinding): string {
  const properties = [
    ...(file === "" ? [] : [`file=${escapeProperty(file)}`]),
    ...(line === 0 ? [] : [`line=${line}`]),
    `title=${escapeProperty(id)}`,
  ];
  return `::${severity} ${properties.join(",")}::${escapeData(`${subjectOf(rest)}${message}: ${consequence}`)}`;
}

function escapeData(text: string): string {
  return text.replace(/%/g, "%25").replace(/\r/g, "%0D").replace(/\n/g, "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replace(/:/g, "%3A").replace(/,/g, "%2C");
}
