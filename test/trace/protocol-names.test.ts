import t from "tap";
import { readProtocol } from "../../src/trace/protocol-names.ts";

t.test("protocols by name and by number", async (t) => {
  const numbers: readonly [string, number | undefined][] = [
    ["tcp", 6],
    ["udp", 17],
    ["ipencap", 4],
    ["ipv6-icmp", 58],
    ["icmpv6", 58],
    ["17", 17],
    ["255", 255],
    ["256", undefined],
    ["nonsense", undefined],
  ];
  for (const [text, number] of numbers) t.equal(readProtocol(text), number, text);
});
