// Prints findings for people, for programs and for GitHub.
import type { Finding, Severity } from "../lint/finding.ts";
import { printAnnotation } from "./github-annotation.ts";
import { printCount } from "./input-objects.ts";

export const LINT_FORMATS = ["text", "json", "github"] as const;
export type LintFormat = (typeof LINT_FORMATS)[number];

/** A finding with its position in the input files. */
export interface LocatedFinding extends Finding {
  /** `-` for standard input. */
  readonly file: string;
  /** One-based; 0 if unknown. */
  readonly document: number;
  /** One-based; 0 if unknown. */
  readonly line: number;
}

/** The input that was checked. */
export interface Examined {
  readonly services: number;
  /** `2 files`, `the cluster`. */
  readonly source: string;
}

/** Yields the report line by line. */
export function printFindings(
  findings: readonly LocatedFinding[],
  format: LintFormat,
  examined: Examined,
): Iterable<string> {
  switch (format) {
    case "json": {
      const report = { apiVersion: "fairlead/v1", kind: "LintReport", examined, findings };
      return JSON.stringify(report, undefined, 2).split("\n");
    }
    case "github":
      return findings.map(annotationOf);
    case "text":
      return printText(findings, examined);
  }
}

function* printText(findings: readonly LocatedFinding[], { services, source }: Examined): Generator<string> {
  for (const { severity, id, file, line, message, consequence, remedy, ...rest } of findings) {
    const place = line === 0 ? file : `${file}:${line}`;
    yield `${place}: ${severity}: ${subjectOf(rest)}${message} [${id}]`;
    yield `  effect: ${consequence}`;
    yield `  fix: ${remedy}`;
  }
  const counts = findings.length === 0 ? "no findings" : `${count(findings, "error")}, ${count(findings, "warning")}`;
  yield `${counts} (${printCount(services, "Service")} in ${source} checked)`;
}

function subjectOf({ object, field }: Pick<Finding, "object" | "field">): string {
  return [object, field]
    .filter((part) => part !== "")
    .map((part) => `${part}: `)
    .join("");
}

function count(findings: readonly Finding[], severity: Severity): string {
  return printCount(findings.filter((each) => each.severity === severity).length, severity);
}

/** A workflow command of GitHub Actions; GitHub shows it next to the line if the line is known. */
function annotationOf({ severity, id, file, line, message, consequence, remedy, ...rest }: LocatedFinding): string {
  const place = { ...(file === "" ? {} : { file }), ...(line === 0 ? {} : { line }) };
  const text = `${subjectOf(rest)}${message}; effect: ${consequence}; fix: ${remedy}`;
  return printAnnotation({ severity, ...place, title: id, message: text });
}
