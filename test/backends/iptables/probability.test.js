import t from "tap";
import { kernelProbability } from "../../../src/backends/iptables/probability.js";
const KNOWN = [
    [2, "0.50000000000"],
    [3, "0.33333333349"],
    [4, "0.25000000000"],
    [6, "0.16666666651"],
    [10, "0.10000000009"],
    [2048, "0.00048828125"],
    [4096, "0.00024414062"],
];
t.test("shares are printed as the kernel keeps them", async (t) => {
    for (const [n, text] of KNOWN)
        t.equal(kernelProbability(n), text, `1/${n}`);
});
