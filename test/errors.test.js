import t from "tap";
import { InputError, KernelError, RuleSyntaxError } from "../src/errors.js";
t.test("an input error reads like the way to the fault", async (t) => {
    const place = { source: "shop.yaml", document: 2, object: "Service shop/cart", field: "spec.ports[0].port" };
    t.equal(new InputError(place, "must be 1 to 65535").message, "shop.yaml: document 2: Service shop/cart: spec.ports[0].port: must be 1 to 65535");
    t.equal(new InputError({}, "nothing to read").message, "nothing to read");
});
t.test("a place learnt later stands in front, and what was known before is kept", async (t) => {
    const inner = new InputError({ object: "Service shop/cart", field: "spec" }, "is missing");
    t.equal(inner.at({ source: "a.yaml", object: "list" }).message, "a.yaml: Service shop/cart: spec: is missing");
});
t.test("a syntax error shows the line", async (t) => {
    t.equal(new RuleSyntaxError(7, "-Q X", "not a rule").message, "line 7: not a rule: -Q X");
});
t.test("a refusal keeps the kernel's own words and the lines round the fault", async (t) => {
    const cause = new Error("exit 1");
    const refusal = { step: "iptables-restore", target: "nat", code: "1", words: "line 3 failed" };
    const error = new KernelError({ ...refusal, context: ["> 3: -A X -j Y"], cause });
    t.equal(error.message, "iptables-restore nat: line 3 failed (1)\n> 3: -A X -j Y");
    t.equal(error.cause, cause);
    t.equal(new KernelError(refusal).message, "iptables-restore nat: line 3 failed (1)");
});
