// Is what is read fast what the other reader says?
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { parseAllDocuments, parseDocument } from "yaml";
import { readPlain, yamlPieces } from "../../src/source/plain-yaml.ts";

const FIXTURES = new URL("../../fixtures/", import.meta.url).pathname;

const OPTIONS = { merge: true, prettyErrors: false, logLevel: "error" } as const;

function* yamlFiles(folder: string): Iterable<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* yamlFiles(path);
    else if (entry.name.endsWith(".yaml")) yield path;
  }
}

t.test("every document of the fixtures is read alike, and most of them fast", (t) => {
  let [fast, slow] = [0, 0];
  for (const path of yamlFiles(FIXTURES)) {
    const text = readFileSync(path, "utf8");
    for (const { start, end } of yamlPieces(text)) {
      const piece = text.slice(start, end);
      const plain = readPlain(piece);
      if (!plain) slow++;
      else {
        fast++;
        const document = parseDocument(piece, OPTIONS);
        t.strictSame([document.errors, plain.value], [[], document.toJS()], path);
      }
    }
  }
  t.ok(fast > 20 * slow, `${fast} fast, ${slow} slow`);
  t.end();
});

const PLAIN: readonly (readonly [string, unknown])[] = [
  [
    "a: 1_000\nb: 0777\nc: 0x1F\nd: 0o17\ne: 1e3\nf: 2001-01-01\n",
    { a: "1_000", b: 777, c: 31, d: 15, e: 1000, f: "2001-01-01" },
  ],
  ["g: ~\nh:\ni: True\nj: yes\nk: 12:30:45\n1: x", { 1: "x", g: null, h: null, i: true, j: "yes", k: "12:30:45" }],
  ["a: |\n  x\n  y\nb: >-\n  a\n  b\n\n  c\n", { a: "x\ny\n", b: "a b\nc" }],
  ["---\n", null],
  ["--- # none\n- - 1\n  - it's#1\n", [[1, "it's#1"]]],
];

for (const [text, value] of PLAIN) {
  t.test(JSON.stringify(text), async (t) => {
    t.strictSame(readPlain(text), { value });
    t.strictSame(parseDocument(text, OPTIONS).toJS(), value, "and the other reader says the same");
  });
}

const ASKED = {
  "nothing at all": "# none\n",
  "an anchor": "a: &x 1\nb: *x\n",
  "a merge": "a: {<<: {b: 1}}\n",
  "a tag": "a: !!str 1\n",
  "a field twice": "a: 1\na: 2\n",
  "a tab": "a:\t1\n",
  "no YAML": "a: 'x\n",
};

for (const [name, text] of Object.entries(ASKED)) {
  t.test(`the other reader is asked: ${name}`, async (t) => t.equal(readPlain(text), undefined));
}

const TEXTS = [
  "",
  "a: 1",
  "---\na: 1\n---\nb: 2\n",
  "# c\n---\na: '---x'\n--- |\n  ---\n---",
  "%YAML 1.2\n---\na\n",
  "a\n...\nb\n",
];

t.test("a text is cut where its documents begin, and into nothing less than itself", async (t) => {
  for (const text of TEXTS) {
    const pieces = yamlPieces(text).map(({ start, end }) => text.slice(start, end));
    t.equal(pieces.join(""), text);
    const single = pieces.flatMap((piece) => [...parseAllDocuments(piece)]).map((each) => each.toJS());
    t.strictSame(
      single,
      [...parseAllDocuments(text)].map((each) => each.toJS()),
      text,
    );
  }
  t.strictSame(yamlPieces("---\na\n--- b\n---c\n"), [
    { start: 0, end: 6 },
    { start: 6, end: 17 },
  ]);
});
