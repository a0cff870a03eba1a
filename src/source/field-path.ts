// Which steps lead to a field, such as `spec.ports[0].nodePort` or `metadata.labels["a/b"]`?

/** Names of members and positions in lists, from the outside in. */
export type FieldPath = readonly (string | number)[];

const STEP = /\[(\d+)\]|\["([^"]*)"\]|([^.[\]]+)/g;

/** The steps of a field as messages write it; none for the empty field. */
export function parseFieldPath(field: string): FieldPath {
  return [...field.matchAll(STEP)].map(([, position, quoted, name = ""]) => {
    return position === undefined ? (quoted ?? name) : Number(position);
  });
}
