import t from "tap";
import { HeldBytes, JsonFault, parseValue } from "../../src/source/held-bytes.ts";

t.test("pieces come back as one text, and are forgotten", (t) => {
  const held = new HeldBytes();
  const bytes = Buffer.from("a€b");
  held.keep(bytes.subarray(0, 2));
  held.keep(bytes.subarray(2, 3));
  t.equal(held.size, 3);
  t.equal(held.takeText(bytes.subarray(3)), "a€b");
  t.equal(held.size, 0);
  t.equal(held.takeText(bytes), "a€b");
  t.end();
});

t.test("a value that never ends is refused before it fills the memory", (t) => {
  const held = new HeldBytes();
  const piece = new Uint8Array(1024 * 1024);
  t.throws(() => {
    for (let count = 0; count < 20; count++) held.keep(piece);
  }, JsonFault);
  t.ok(held.size < 20 * piece.length);
  t.end();
});

t.test("text that is no JSON", (t) => {
  t.strictSame(parseValue('{"a":[1]}'), { a: [1] });
  t.throws(() => parseValue("{"), JsonFault);
  t.end();
});
