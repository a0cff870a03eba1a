// Which value does the text of a kubeconfig hold?
import { LineCounter, parseDocument } from "yaml";
import { InputError } from "../errors.ts";

/**
 * Reads one document of YAML 1.1 or JSON; of keys that stand twice the last one counts, as in client-go. Throws
 * InputError, which names the line and never quotes it: it may hold a secret.
 */
export function readKubeconfigText(text: string, source: string): unknown {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, {
    version: "1.1",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
    lineCounter,
  });
  const [fault] = document.errors;
  if (!fault) return resolveAliases(() => document.toJS(), source);
  const { line, col } = lineCounter.linePos(fault.pos[0]);
  throw new InputError({ source }, `is no YAML: line ${line}, column ${col}: ${fault.code}`);
}

function resolveAliases(read: () => unknown, source: string): unknown {
  try {
    return read();
  } catch {
    throw new InputError({ source }, "is no YAML: an alias means nothing, or there are too many");
  }
}
