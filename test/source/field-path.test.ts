// Which steps does a field's name have?
import t from "tap";
import { parseFieldPath } from "../../src/source/field-path.ts";

const CASES: readonly (readonly [string, readonly (string | number)[]])[] = [
  ["", []],
  ["spec", ["spec"]],
  ["spec.ports[12].nodePort", ["spec", "ports", 12, "nodePort"]],
  ["items[0].metadata.name", ["items", 0, "metadata", "name"]],
  ['metadata.labels["kubernetes.io/service-name"]', ["metadata", "labels", "kubernetes.io/service-name"]],
];

for (const [field, path] of CASES) {
  t.test(field || "no field", (t) => {
    t.strictSame(parseFieldPath(field), path);
    t.end();
  });
}
