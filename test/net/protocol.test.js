import t from "tap";
import { lower, PROTOCOLS } from "../../src/net/protocol.js";
t.test("the kernel's tools spell protocols in lower case", async (t) => {
    t.same(PROTOCOLS.map(lower), ["tcp", "udp", "sctp"]);
});
