import t from "tap";
import { printObject } from "../../src/api/object-name.js";
import { readText } from "../../src/source/manifest-text.js";
const SERVICE = '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {}}';
const CASES = {
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
        { problems: ["f: document 1: line 1, column 80: Flow map must end with a }"] },
    ],
    "a merge of an anchor": [
        "apiVersion: v1\nkind: Service\nx: &x {name: web}\nmetadata: {<<: *x, namespace: shop}\nspec: {}",
        { objects: ["Service shop/web"] },
    ],
    "a field twice": [
        "kind: Service\nkind: Node\n",
        { problems: ["f: document 1: line 2, column 1: Map keys must be unique"] },
    ],
    "an anchor that is not there": [
        "---\n---\nkind: *no\n",
        { problems: ["f: document 2: Unresolved alias (the anchor must be set before the alias): no"] },
    ],
    text: ["some words", { problems: ['f: document 1: must be an object, not "some words"'] }],
};
for (const [name, [text, { objects = [], problems = [] }]] of Object.entries(CASES)) {
    t.test(name, (t) => {
        const reading = readText(text, "f");
        t.strictSame(reading.objects.map(printObject), objects);
        t.strictSame(reading.problems.map(({ message }) => message), problems);
        t.end();
    });
}
t.test("nesting without end costs the document, not the process", (t) => {
    for (const text of [`a: ${"[".repeat(20000)}`, `{"a": ${"[".repeat(200000)}${"]".repeat(200000)}}`]) {
        const { objects, problems } = readText(text, "f");
        t.strictSame(objects, []);
        t.match(problems[0]?.message, /^f: document 1: /);
    }
    t.end();
});
