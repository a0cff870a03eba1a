import fc from "fast-check";
import t from "tap";
import { editsBetween } from "../../src/plan/edits.ts";
import { takeSeed } from "../support/seed.ts";

const lines = (text: string) => [...text].map((each) => ({ text: each }));
const shown = (before: string, after: string) =>
  editsBetween(lines(before), lines(after))
    .map(({ kind, text }) => `${{ comes: "+", goes: "-", stays: "" }[kind]}${text}`)
    .join(" ");

t.test("as many lines as possible stay", async (t) => {
  t.equal(shown("", ""), "");
  t.equal(shown("abc", "abc"), "a b c");
  t.equal(shown("abc", "axc"), "a -b +x c");
  t.equal(shown("", "ab"), "+a +b");
  t.equal(shown("ab", ""), "-a -b");
  t.equal(shown("abcd", "dabc"), "+d a b c -d", "one that moves");
  t.equal(shown("aa", "a"), "a -a", "lines that are there twice");
});

t.test("the edits lead from one list to the other, and back", async (t) => {
  const list = fc.array(fc.constantFrom(..."abcdefgh")).map((each) => each.join(""));
  fc.assert(
    fc.property(list, list, (before, after) => {
      const edits = editsBetween(lines(before), lines(after));
      const textOf = (out: string) => edits.flatMap(({ kind, text }) => (kind === out ? [] : [text])).join("");
      t.same([textOf("comes"), textOf("goes")], [before, after]);
    }),
    { seed: takeSeed() },
  );
});

t.test("lines that stay are told as they are wanted", async (t) => {
  t.strictSame(editsBetween([{ text: "a", owner: "x/y" }], [{ text: "a", reason: "because" }]), [
    { text: "a", reason: "because", kind: "stays" },
  ]);
});
