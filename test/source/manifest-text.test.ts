// Checks how texts that are no valid YAML or JSON are read.
import t from "tap";
import { printObject } from "../../src/api/object-name.ts";
import { joinReadings } from "../../src/api/reading.ts";
import { writtenObjectsOf } from "../../src/source/manifest-text.ts";

const SERVICE = '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {}}';

interface Outcome {
  readonly objects?: readonly string[];
  readonly problems?: readonly string[];
  /** Categories of skipped documents. */
  readonly skipped?: readonly string[];
}

function readText(text: string, source: string) {
  return joinReadings([...writtenObjectsOf(text, source)].map(({ reading }) => reading));
}

const CASES: Readonly<Record<string, readonly [string, Outcome]>> = {
  nothing: ["", {}],
  "only comments and empty documents": ["# none\n---\n---\n# none\n", {}],
  JSON: [` \n${SERVICE}`, { objects: ["Service default/web"] }],
  "JSON with a byte order mark": [`\ufeff${SERVICE}`, { objects: ["Service default/web"] }],
  "one document each": [
    `${SERVICE}\n---\n---\n${SERVICE}`,
    { objects: ["Service default/web", "Service default/web"] },
  ],
  "JSON cut short": [
    SERVICE.slice(0, -1),
    {
      problems: [
        "f: document 1: invalid YAML: line 1, column 80: a quote, bracket, comma or colon is missing before this",
      ],
    },
  ],
  "a merge of an anchor": [
    "apiVersion: v1\nkind: Service\nx: &x {name: web}\nmetadata: {<<: *x, namespace: shop}\nspec: {}",
    { objects: ["Service shop/web"] },
  ],
  "a field twice": [
    "kind: Service\nkind: Node\n",
    { problems: ["f: document 1: invalid YAML: line 2, column 1: a key is repeated in one mapping"] },
  ],
  "an anchor that is not there": [
    "---\n---\nkind: *no\n",
    { problems: ["f: document 2: invalid YAML: undefined alias, or too many aliases"] },
  ],
  text: ["some words", { skipped: ["foreign"] }],
  "a Helm values file": ["replicas: 2\nimage: {tag: v1}\n", { skipped: ["foreign"] }],
  "a Helm chart file, which has an apiVersion": [
    "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
    { skipped: ["foreign"] },
  ],
  "a list at the top, as in a dashboard": ['[{"kind": "Service"}]', { skipped: ["foreign"] }],
  "a kind of another program, without apiVersion": ["kind: Pipeline\n", { skipped: ["foreign"] }],
  "a Service without apiVersion": ["kind: Service\n", { problems: ["f: document 1: apiVersion: is missing"] }],
  "Services without apiVersion": [
    "kind: ServiceList\nitems: [{metadata: {name: web}}]\n",
    { problems: ["f: document 1: items[0].apiVersion: is missing"] },
  ],
  "an object without kind": [
    "apiVersion: v1\nmetadata: {name: web}\n",
    { problems: ["f: document 1: kind: is missing"] },
  ],
  "a template with actions on lines of their own": [
    'apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  labels:\n    {{- include "labels" . | nindent 4 }}\n',
    { skipped: ["template"] },
  ],
  "a template with an action in the place of a value": [
    "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  ports:\n  - port: {{ .Values.port }}\n",
    { skipped: ["template"] },
  ],
  "a template with a name in quotes": [
    'apiVersion: v1\nkind: Service\nmetadata: {name: "{{ .Release.Name }}"}\nspec: {}\n',
    { skipped: ["template"] },
  ],
  "an action alone": ["{{ .Values.extra }}\n", { skipped: ["template"] }],
  "an invalid Service whose annotation looks like a template": [
    'apiVersion: v1\nkind: Service\nmetadata: {name: Web, annotations: {a: "{{.Name}}"}}\nspec: {}\n',
    { problems: ['f: document 1: metadata.name: must be a DNS label, not "Web"'] },
  ],
};

for (const [name, [text, { objects = [], problems = [], skipped = [] }]] of Object.entries(CASES)) {
  t.test(name, (t) => {
    const reading = readText(text, "f");
    t.strictSame(reading.objects.map(printObject), objects);
    t.strictSame(
      reading.problems.map(({ message }) => message),
      problems,
    );
    t.strictSame(
      reading.passedOver.map(({ category }) => category),
      skipped,
    );
    t.end();
  });
}

t.test("nesting without end costs the document, not the process", (t) => {
  for (const text of [`a: ${"[".repeat(20000)}`, `{"a": ${"[".repeat(200000)}${"]".repeat(200000)}}`]) {
    const { objects, problems, passedOver } = readText(text, "f");
    t.strictSame(objects, []);
    t.match(problems[0]?.message ?? passedOver[0]?.category, /^f: document 1: invalid YAML|^foreign$/);
  }
  t.end();
});
