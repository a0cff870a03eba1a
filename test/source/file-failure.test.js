import { stat } from "node:fs/promises";
import t from "tap";
import { readCode } from "../../src/source/file-failure.js";
t.test("the system's refusal has a code", async (t) => {
    const refusal = await stat("/nowhere").catch((error) => error);
    t.equal(readCode(refusal), "ENOENT");
});
t.test("what is no refusal of the system is thrown on", (t) => {
    const bug = new TypeError("undefined is not a function");
    t.throws(() => readCode(bug), bug);
    t.throws(() => readCode(Object.assign(new Error("odd"), { code: 3 })), { message: "odd" });
    t.end();
});
