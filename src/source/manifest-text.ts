// Which objects does a text hold, in YAML or JSON?
import { LineCounter, parseAllDocuments } from "yaml";
import { readDocument } from "../api/document.ts";
import type { KubernetesObject } from "../api/objects.ts";
import { escapeForeign } from "../api/quote.ts";
import { joinReadings, type Reading, refuse } from "../api/reading.ts";
import { InputError, type Place } from "../errors.ts";

type ParsedDocument = ReturnType<typeof parseAllDocuments>[number];

/** Reads all documents of a text. A document that is no YAML costs that document, the others are read. */
export function readText(text: string, source: string): Reading<KubernetesObject> {
  const json = parseJson(text);
  if (json !== undefined) return readDocument(json, { source, document: 1 });
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    merge: true,
    logLevel: "error",
  });
  return joinReadings(documents.map((each, index) => readYaml(each, lines, { source, document: index + 1 })));
}

// All JSON is YAML too, but a cluster's worth of it is read in a fraction of the time.
function parseJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readYaml(document: ParsedDocument, lines: LineCounter, place: Place): Reading<KubernetesObject> {
  const [fault] = document.errors;
  if (fault) {
    const { line, col } = lines.linePos(fault.pos[0]);
    return refuse(new InputError(place, `line ${line}, column ${col}: ${escapeForeign(fault.message)}`));
  }
  const resolved = resolveAliases(document);
  if ("fault" in resolved) return refuse(new InputError(place, escapeForeign(resolved.fault)));
  return resolved.value === null ? joinReadings<KubernetesObject>([]) : readDocument(resolved.value, place);
}

// The package's own limit on aliases stands between a small file and a huge value.
function resolveAliases(document: ParsedDocument): { readonly value: unknown } | { readonly fault: string } {
  try {
    return { value: document.toJS() };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
