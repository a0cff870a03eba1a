// Is a value known again, and is a change never missed?
import t from "tap";
import { keep, sameList } from "../../src/model/sameness.js";
const sameText = (a, b) => a.text === b.text;
const a1 = { text: "a" };
const a2 = { text: "a" };
const b = { text: "b" };
t.test("lists", async (t) => {
    t.ok(sameList([], []));
    t.ok(sameList(["x", "y"], ["x", "y"]));
    t.notOk(sameList(["x", "y"], ["y", "x"]), "order counts");
    t.notOk(sameList(["x"], ["x", "y"]));
    t.notOk(sameList(["x", "y"], ["x"]));
    t.notOk(sameList([a1], [a2]), "by identity unless told otherwise");
    t.ok(sameList([a1], [a2], sameText));
    t.notOk(sameList([a1], [b], sameText));
    const list = [a1];
    t.ok(sameList(list, list, () => t.fail("a list is not compared with itself")));
});
t.test("the value we had is kept while it is equal", async (t) => {
    t.equal(keep(a1, a2, sameText), a1);
    t.equal(keep(a1, b, sameText), b);
    t.equal(keep(undefined, a2, sameText), a2);
});
