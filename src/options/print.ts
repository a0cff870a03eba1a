// Prints a configuration as a KubeProxyConfiguration document.

import { API_VERSION, KIND } from "./config-file.ts";
import { type Config, FIELD_NAMES, type FieldName, ROWS } from "./table.ts";
import type { Plain } from "./value-type.ts";
import { printYaml } from "./yaml-text.ts";

type Entry = readonly [path: readonly string[], value: Plain];

/** Returns the configuration as a v1alpha1 document, as `/configz` serves it. */
export function configDocument(config: Config): { readonly [key: string]: Plain } {
  const fields = FIELD_NAMES.flatMap((name): readonly Entry[] => {
    const value = printField(config, name);
    return value === undefined ? [] : [[name.split("."), value]];
  });
  return nest([[["apiVersion"], API_VERSION], [["kind"], KIND], ...fields]);
}

/** Prints the document as YAML, byte for byte like `kube-proxy --write-config-to`. */
export function printConfig(config: Config): string {
  return printYaml(configDocument(config));
}

function printField<K extends FieldName>(config: Config, name: K): Plain | undefined {
  const { type, omitted, default: initial } = ROWS[name];
  const value = type.print(config[name]);
  return omitted && JSON.stringify(value) === JSON.stringify(type.print(initial)) ? undefined : value;
}

function nest(entries: readonly Entry[]): { readonly [key: string]: Plain } {
  const keys = new Set(entries.flatMap(([path]) => path.slice(0, 1)));
  return Object.fromEntries([...keys].map((key) => [key, nestBelow(entries, key)]));
}

function nestBelow(entries: readonly Entry[], key: string): Plain {
  const below = entries.filter(([[first]]) => first === key);
  const [only] = below;
  if (only?.[0].length === 1) return only[1];
  return nest(below.map(([path, value]) => [path.slice(1), value]));
}
