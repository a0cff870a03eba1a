// Checks that all objects of files and texts are found, with their places.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import t from "tap";
import { printObject } from "../../src/api/object-name.ts";
import { type WrittenObject, writtenObjectsOf } from "../../src/source/manifest-text.ts";
import { readWrittenObjects } from "../../src/source/written-objects.ts";

const NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n";

/** Each as its place, its name or its fault. */
function tell(objects: Iterable<WrittenObject>): readonly string[] {
  return [...objects].map(({ place, reading }) => {
    const names = [...reading.objects.map(printObject), ...reading.problems.map(({ reason }) => reason)];
    const all = [...names, ...reading.passedOver.map(({ reason }) => reason)];
    return `${place.source}/${place.document ?? "-"}/${place.field ?? "-"}: ${all.join(", ")}`;
  });
}

const CASES: readonly (readonly [string, string, readonly (string | RegExp)[]])[] = [
  ["nothing", "", []],
  ["only comments", "# nothing\n", []],
  ["documents, one of them empty", `${NODE}---\n---\n${NODE}`, ["-/1/-: Node a", "-/3/-: Node a"]],
  [
    "a document that is no YAML",
    `kind: [\n---\n${NODE}`,
    [/^-\/1\/-: invalid YAML: line 2, column 1: /, "-/2/-: Node a"],
  ],
  ["an alias to nothing", "kind: *nobody\n", [/^-\/1\/-: .*undefined alias/]],
  ["JSON", ' {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}', ["-/1/-: Node a"]],
  ["JSON after which more comes", '{"kind": "x"}\n---\n{"kind": "y"}\n', [/-\/1\/-: is missing|-\/1\/-: /, /-\/2/]],
  [
    "a list of everything",
    "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Node, metadata: {name: a}}\n- 7\n",
    ["-/1/items[0]: Node a", "-/1/items[1]: must be an object, not 7"],
  ],
  [
    "a list that names its kind",
    '{"apiVersion": "v1", "kind": "NodeList", "items": [{"metadata": {"name": "a"}}]}',
    ["-/1/items[0]: Node a"],
  ],
  [
    "a list in a list",
    "kind: List\nitems:\n- kind: NodeList\n  apiVersion: v1\n  items: [{metadata: {name: a}}]\n",
    ["-/1/items[0].items[0]: Node a"],
  ],
  ["items of what is no list", "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nitems: []\n", ["-/1/-: Node a"]],
];

for (const [name, text, expected] of CASES) {
  t.test(name, (t) => {
    const told = tell(writtenObjectsOf(text, "-"));
    t.equal(told.length, expected.length);
    t.match(told, expected);
    t.end();
  });
}

t.test("aliases that would grow without end cost their document", (t) => {
  const levels = Array.from({ length: 12 }, (_, level) => `l${level}: &l${level} [${`*l${level - 1}, `.repeat(9)}x]`);
  const text = ["kind: Node", "l: &l-1 [x]", ...levels].join("\n").replaceAll("*l-1", "x");
  t.match(tell(writtenObjectsOf(`${text}\n---\n${NODE}`, "-")), [
    /^-\/1\/-: invalid YAML: undefined alias, or too many aliases/,
    "-/2/-: Node a",
  ]);
  t.end();
});

t.test("files, directories and standard input, and what is not there", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "a.yaml"), NODE);
  const found: WrittenObject[] = [];
  const input = Readable.from([NODE.replace("a}", "b}")]);
  const read = await readWrittenObjects([folder, "/nowhere", "-"], { stdin: input });
  t.equal(read.files, 2);
  for await (const each of read.objects) found.push(each);
  t.strictSame(tell(found), [
    "/nowhere/-/-: no such file or directory",
    `${folder}/a.yaml/1/-: Node a`,
    "-/1/-: Node b",
  ]);
});

t.test("a file that the system does not let us read", async (t) => {
  const found: WrittenObject[] = [];
  // A process may not read its own memory from the start.
  for await (const each of (await readWrittenObjects(["/proc/self/mem"])).objects) found.push(each);
  t.match(tell(found), [/^\/proc\/self\/mem\/-\/-: cannot be read: input/]);
});
