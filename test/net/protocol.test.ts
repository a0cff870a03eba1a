import t from "tap";
import { lower, PROTOCOLS } from "../../src/net/protocol.ts";

t.test("the kernel's tools spell protocols in lower case", async (t) => {
  t.same(PROTOCOLS.map(lower), ["tcp", "udp", "sctp"]);
});
