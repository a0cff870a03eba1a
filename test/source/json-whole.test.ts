import fc from "fast-check";
import t from "tap";
import { findWholeEnd } from "../../src/source/json-whole.ts";
import { takeSeed } from "../support/seed.ts";

const ENDS: Readonly<Record<string, readonly [string, number]>> = {
  "an object": ['{"a":1},2', 7],
  "a list": ["[1,2] ]", 5],
  "brackets and escapes in texts": ['{"]}\\"":"[\\\\"}}', 14],
  "an object that goes on": ['{"a":{"b":1}', -1],
  "a text that goes on": ['{"a":"b}', -1],
  "a text that goes on behind a backslash": ['{"a":"b\\"}', -1],
  "no object": ['"a"', -1],
  nothing: ["", -1],
};

for (const [name, [text, end]] of Object.entries(ENDS)) {
  t.test(name, (t) => {
    t.equal(findWholeEnd(text, 0), end);
    t.equal(findWholeEnd(`,${text}`, 1), end < 0 ? -1 : end + 1);
    t.end();
  });
}

const SEED = takeSeed();

t.test("no part of a value is taken for a whole one, and the whole is found", (t) => {
  const value = fc.oneof(fc.array(fc.jsonValue({ maxDepth: 4 })), fc.dictionary(fc.string(), fc.jsonValue()));
  const property = fc.property(value, fc.nat(), (each, cut) => {
    const text = JSON.stringify(each);
    t.equal(findWholeEnd(`${text},[`, 0), text.length);
    t.equal(findWholeEnd(text.slice(0, cut % text.length), 0), -1);
  });
  fc.assert(property, { seed: SEED, numRuns: 300 });
  t.end();
});

// Each would take for ever, or all memory, if there were two ways to match any of it.
const HOSTILE: Readonly<Record<string, string>> = {
  brackets: "{".repeat(1_000_000),
  "objects in an open list": `[${'{"a":[{},{"b":1}]},'.repeat(50_000)}`,
  "an open list in lists": `${'{"b":[{},{"c":1}],'.repeat(20)}${'"x":{},'.repeat(100_000)}`,
  "texts in an open object": `{${'"a\\\\\\"":"b",'.repeat(100_000)}`,
  "an open text": `{"${"\\\\".repeat(500_000)}`,
};

for (const [name, text] of Object.entries(HOSTILE)) {
  t.test(`given up soon: ${name}`, (t) => {
    t.equal(findWholeEnd(text, 0), -1);
    t.end();
  });
}
