// What is a configuration? All fields of a KubeProxyConfiguration by path, each with its value.
import type { Row } from "./row.ts";
import { FIELDS } from "./table.ts";

type Fields = typeof FIELDS;

/**
 * Defaulted, but not yet checked: texts are as they were given. Periods and masqueradeAll stand in the section of the
 * running mode alone (see `running.ts`); those of the other modes are zero.
 */
export type Config = { readonly [K in keyof Fields]: Fields[K] extends Row<infer T> ? T : never };

export type FieldName = keyof Config;

/** The table, by field. */
export const ROWS: { readonly [K in FieldName]: Row<Config[K]> } = FIELDS;

/** All fields, in the order of the table. */
export const FIELD_NAMES: readonly FieldName[] = Object.keys(FIELDS).filter(isFieldName);

export function isFieldName(path: string): path is FieldName {
  return Object.hasOwn(FIELDS, path);
}

/** The configuration with one field changed. */
export function withField<K extends FieldName>(config: Config, name: K, value: Config[K]): Config {
  return { ...config, [name]: value };
}
