// How is a configuration written down?
import { type Config, FIELD_NAMES, type FieldName, ROWS } from "./config.ts";
import { API_VERSION, KIND } from "./decode.ts";
import type { Plain } from "./value-type.ts";
import { printYaml } from "./yaml-text.ts";

type Entry = readonly [path: readonly string[], value: Plain];

/** The configuration in its v1alpha1 form, as data: what `/configz` shows. */
export function configDocument(config: Config): { readonly [key: string]: Plain } {
  const fields = FIELD_NAMES.flatMap((name): readonly Entry[] => {
    const value = printField(config, name);
    return value === undefined ? [] : [[name.split("."), value]];
  });
  return nest([[["apiVersion"], API_VERSION], [["kind"], KIND], ...fields]);
}

/** The same as YAML: what `--write-config-to` writes, byte for byte as kube-proxy does. Read back it is the same. */
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
