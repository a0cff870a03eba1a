// Is the line of a field that on which an editor shows it?
import t from "tap";
import { LineFinder } from "../../src/source/line-finder.ts";
import { writtenObjectsOf } from "../../src/source/manifest-text.ts";
import type { WrittenPart } from "../../src/source/written-text.ts";

const YAML = `# a comment
apiVersion: v1
kind: Service
metadata: {name: first}
spec: {}
---
apiVersion: v1
kind: Service
metadata:
  name: second
  labels:
    "a.b/c": x
spec:
  ports:
  - port: 80
    nodePort: 31080
  -
    port: 81
  empty: [~]
`;

const JSON_LIST = `{
 "apiVersion": "v1", "kind": "List",
 "metadata": {"odd": "]}\\"", "n": -1.5e3, "t": true, "none": null, "deep": [[1, 2], {}]},
 "items": [
  {"apiVersion": "v1",
   "kind": "Service",
   "metadata": {"name": "a"}},
  {"kind": "Service",
   "metadata": {"name": "b"},
   "spec": {
    "ports": [
     {"port": 80},
     {"port":
      81}]}}
 ]
}
`;

function partsOf(text: string): readonly WrittenPart[] {
  return [...writtenObjectsOf(text, "-")].flatMap(({ part }) => part ?? []);
}

const CASES: readonly (readonly [string, number, string, number])[] = [
  [YAML, 0, "", 2],
  [YAML, 0, "metadata.name", 4],
  [YAML, 0, "spec.ports[0].port", 5],
  [YAML, 1, "", 7],
  [YAML, 1, 'metadata.labels["a.b/c"]', 12],
  [YAML, 1, "spec.ports", 14],
  [YAML, 1, "spec.ports[0].nodePort", 16],
  [YAML, 1, "spec.ports[1].port", 18],
  [YAML, 1, "spec.ports[7].port", 14],
  [YAML, 1, "spec.empty[0].x", 19],
  [YAML, 1, "kind.of", 8],
  [JSON_LIST, 0, "", 5],
  [JSON_LIST, 0, "metadata.name", 7],
  [JSON_LIST, 1, "", 8],
  [JSON_LIST, 1, "spec.ports[0].port", 12],
  [JSON_LIST, 1, "spec.ports[1].port", 14],
  [JSON_LIST, 1, "spec.ports[2].port", 11],
  [JSON_LIST, 1, "spec.clusterIP", 10],
  [JSON_LIST, 1, "kind.of", 8],
];

t.test("by one finder, file after file", (t) => {
  const finder = new LineFinder();
  const parts = new Map([YAML, JSON_LIST].map((text) => [text, partsOf(text)]));
  for (const [text, index, field, line] of CASES) {
    const part = parts.get(text)?.[index];
    const name = `${text === YAML ? "YAML" : "JSON"}, object ${index}, ${field}`;
    if (part) t.equal(finder.lineOf(part, field), line, name);
    else t.fail(name);
  }
  t.end();
});

t.test("a document that says nothing, and one that is a JSON object alone", (t) => {
  const nothing: WrittenPart = { whole: { language: "yaml", text: "# x\n" }, start: 0, end: 4, path: [] };
  t.equal(new LineFinder().lineOf(nothing, "kind"), 1);
  const [part] = partsOf('\n{"apiVersion": "v1",\n "kind": "Node"}');
  t.equal(part && new LineFinder().lineOf(part, "kind"), 3);
  t.equal(part && new LineFinder().lineOf(part, ""), 2);
  t.end();
});
