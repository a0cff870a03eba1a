// Prints findings for people, for programs and for GitHub.
import type { Finding, Severity } from "../lint/finding.ts";
import { printAnnotation } from "./github-annotation.ts";
import { printCount } from "./input-objects.ts";

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

/** What was checked. */
export interface Examined {
  readonly services: number;
  /** `2 files`, `the cluster`. */
  readonly source: string;
}

/** The findings, in lines. */
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
  for (const { severity, id, file, line, message, consequence, ...rest } of findings) {
    const place = line === 0 ? file : `${file}:${line}`;
    yield `${place}: ${severity}: ${subjectOf(rest)}${message} [${id}]`;
    yield `  ${consequence}`;
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

/** Shown beside its line, where there is one. */
function annotationOf({ severity, id, file, line, message, consequence, ...rest }: LocatedFinding): string {
  const place = { ...(file === "" ? {} : { file }), ...(line === 0 ? {} : { line }) };
  return printAnnotation({ severity, ...place, title: id, message: `${subjectOf(rest)}${message}: ${consequence}` });
}
