import fc from "fast-check";
import t from "tap";
import { JsonFault } from "../../src/source/held-bytes.ts";
import { JsonItems, type ListPart } from "../../src/source/json-items.ts";
import { takeSeed } from "../support/seed.ts";

/** All parts of the text, fed in pieces of the given sizes, again and again; throws JsonFault as the scanner does. */
function scan(text: string, sizes: readonly number[] = [text.length + 1]): readonly ListPart[] {
  const bytes = Buffer.from(text);
  const scanner = new JsonItems();
  const parts: ListPart[] = [];
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    // A copy, as nothing says that a chunk's memory stays what it was.
    parts.push(...scanner.push(Uint8Array.from(bytes.subarray(start, start + size))));
    start += size;
  }
  scanner.end();
  return parts;
}

function item(value: unknown): ListPart {
  return { type: "item", value };
}

function member(name: string, value: unknown): ListPart {
  return { type: "member", name, value };
}

function deep(depth: number): string {
  return `${'{"a":['.repeat(depth)}"]"${"]}".repeat(depth)}`;
}

const LISTS: Readonly<Record<string, readonly [string, readonly ListPart[]]>> = {
  "nothing at all in it": ["{}", []],
  "no items": ['{"items":[]}', []],
  "items that are null": ['{"items":null}', [member("items", null)]],
  "items that are no list": ['{"items":{"a":[1]}}', [member("items", { a: [1] })]],
  "the head first": [
    '{"metadata":{"resourceVersion":"1"},"items":[1,2]}',
    [member("metadata", { resourceVersion: "1" }), item(1), item(2)],
  ],
  "the head last": ['{"items":[{"a":1}],"metadata":{}}', [item({ a: 1 }), member("metadata", {})]],
  "items inside an item": ['{"items":[{"items":[1]}]}', [item({ items: [1] })]],
  "brackets in a text": ['{"items":["]}\\"]","{"]}', [item(']}"]'), item("{")]],
  "a text that ends with a backslash": ['{"items":["a\\\\"],"b":1}', [item("a\\"), member("b", 1)]],
  "words and numbers": [
    '{"a":true,"items":[-1.5e3,null,false],"b":0}',
    [member("a", true), item(-1500), item(null), item(false), member("b", 0)],
  ],
  "white space of every kind": [
    ' {\n\t"items" :\r\n[ 1 , {} , "x" ] , "b" : 2 } \n',
    [item(1), item({}), item("x"), member("b", 2)],
  ],
  "a name with an escape": ['{"it\\u0065ms":[1]}', [item(1)]],
  "items that lie deep": [`{"items":[${deep(60)},1]}`, [item(JSON.parse(deep(60))), item(1)]],
  "letters of several bytes": ['{"items":["ä€😀"]}', [item("ä€😀")]],
};

for (const [name, [text, parts]] of Object.entries(LISTS)) {
  t.test(name, (t) => {
    t.strictSame(scan(text), parts, "in one piece");
    for (const size of [1, 2, 3, 5]) t.strictSame(scan(text, [size]), parts, `${size} bytes at a time`);
    t.end();
  });
}

const FAULTS: Readonly<Record<string, string>> = {
  nothing: "",
  "no object": "[1]",
  "a page of HTML": "<html>",
  "a member without colon": '{"a" 1}',
  "a member without value": '{"a":}',
  "members without comma": '{"a":1 "b":2}',
  "a comma before the end": '{"a":1,}',
  "a name that is none": "{1:2}",
  "a comma before the end of the items": '{"items":[1,]}',
  "items without comma": '{"items":[{} {}]}',
  "a word that is none": '{"items":[nul]}',
  "crossed brackets": '{"items":[{"a":[1}]]}',
  "an end in an item": '{"items":[{"a":1',
  "an end in a text": '{"items":["a',
  "an end between items": '{"items":[1,2',
  "an end before the end": '{"items":[1]',
  "something behind the end": "{}{}",
};

for (const [name, text] of Object.entries(FAULTS)) {
  t.test(`no list: ${name}`, (t) => {
    t.throws(() => scan(text), JsonFault);
    t.throws(() => scan(text, [1]), JsonFault, "byte by byte");
    t.end();
  });
}

const SEED = takeSeed();

t.test("any list, written in any way, in any pieces, is taken apart as its parser would", (t) => {
  const value = fc.jsonValue({ maxDepth: 4 });
  const name = fc.string({ unit: "binary" }).filter((text) => text !== "items" && text !== "__proto__");
  const spec = fc.record({
    before: fc.dictionary(name, value, { noNullPrototype: true, maxKeys: 3 }),
    items: fc.array(value, { maxLength: 6 }),
    after: fc.dictionary(name, value, { noNullPrototype: true, maxKeys: 3 }),
    indent: fc.constantFrom("", " ", "\t", "\n\r "),
    sizes: fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 1000 })), {
      minLength: 1,
      maxLength: 5,
    }),
  });
  const property = fc.property(spec, ({ before, items, after, indent, sizes }) => {
    const list = Object.entries({ ...before, items, ...after });
    // Written by hand, as an object would bring names that are numbers forward.
    const text = `{${list.map(([key, each]) => `${JSON.stringify(key)}:${indent}${JSON.stringify(each, null, indent)}`).join(",")}}`;
    const wanted = list.flatMap(([key, each]) => {
      const again: unknown = JSON.parse(JSON.stringify(each));
      return key === "items" && Array.isArray(again) ? again.map(item) : [member(key, again)];
    });
    t.strictSame(scan(text, sizes), wanted);
  });
  fc.assert(property, { seed: SEED, numRuns: 150 });
  t.end();
});

t.test("of a list of 30 MB never more than one item is kept", (t) => {
  const scanner = new JsonItems();
  const text = JSON.stringify({ metadata: { name: "a", annotations: { note: "x".repeat(2900) } } });
  const chunk = Buffer.from(`${text},`.repeat(22));
  let most = 0;
  let items = 0;
  let bytes = 0;
  const feed = (part: Uint8Array) => {
    items += [...scanner.push(part)].length;
    bytes += part.length;
    most = Math.max(most, scanner.held);
  };
  feed(Buffer.from('{"kind":"ServiceList","items":['));
  items = 0;
  // Chunks that end anywhere in an item.
  let rest = Buffer.alloc(0);
  while (bytes < 30_000_000) {
    const flow = Buffer.concat([rest, chunk]);
    const size = Math.min(65_521, flow.length);
    feed(flow.subarray(0, size));
    rest = flow.subarray(size);
  }
  feed(rest);
  feed(Buffer.from(`${text}],"metadata":{"resourceVersion":"1"}}`));
  scanner.end();
  t.ok(items > 10_000, `${items} parts`);
  t.ok(most < text.length, `${most} bytes kept at most, an item has ${text.length}`);
  t.end();
});
