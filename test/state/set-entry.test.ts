import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import t from "tap";
import type { SetHeader } from "../../src/state/ip-set.ts";
import { parseEntry, printEntry } from "../../src/state/set-entry.ts";
import { arbitrarySetAndEntry } from "../support/arbitrary-sets.ts";
import { takeSeed } from "../support/seed.ts";

type Kind = Omit<SetHeader, "name">;

const IP: Kind = { type: "hash:ip", family: "inet" };
const IP6: Kind = { type: "hash:ip", family: "inet6" };
const PORT: Kind = { type: "hash:ip,port", family: "inet" };
const SECOND: Kind = { type: "hash:ip,port,ip", family: "inet" };
const NET: Kind = { type: "hash:ip,port,net", family: "inet" };
const NET6: Kind = { type: "hash:ip,port,net", family: "inet6" };
const BITMAP: Kind = { type: "bitmap:port", family: "none" };

for (const [kind, text, canonical] of [
  [IP, "10.96.1.1", "10.96.1.1"],
  [IP, "010.96.01.1", "10.96.1.1"],
  [IP, "::ffff:10.96.1.1", "10.96.1.1"],
  [IP6, "FD00:96:0:0::7", "fd00:96::7"],
  [IP6, "::102:304", "::1.2.3.4"],
  [IP6, "::1.2.3.4", "::1.2.3.4"],
  [PORT, "10.96.1.1,tcp:80", "10.96.1.1,tcp:80"],
  [PORT, "10.96.1.1,UDP:0", "10.96.1.1,udp:0"],
  [PORT, "10.96.1.1,132:65535", "10.96.1.1,sctp:65535"],
  [PORT, "10.96.1.1,udplite:7", "10.96.1.1,udplite:7"],
  [PORT, "10.96.1.1,47:0", "10.96.1.1,47:0"],
  [SECOND, "10.71.1.5,tcp:8080,10.71.1.5", "10.71.1.5,tcp:8080,10.71.1.5"],
  [NET, "203.0.113.5,tcp:443,192.0.2.77/24", "203.0.113.5,tcp:443,192.0.2.0/24"],
  [NET, "203.0.113.5,tcp:443,192.0.2.77/32", "203.0.113.5,tcp:443,192.0.2.77"],
  [NET, "203.0.113.5,tcp:443,192.0.2.77", "203.0.113.5,tcp:443,192.0.2.77"],
  [NET, "203.0.113.5,tcp:443,0.0.0.0/0", "203.0.113.5,tcp:443,0.0.0.0/0"],
  [NET, "203.0.113.5,tcp:443,10.0.0.0/8 nomatch", "203.0.113.5,tcp:443,10.0.0.0/8 nomatch"],
  [NET6, "2001:db8::5,tcp:443,2001:db8:1::9/48", "2001:db8::5,tcp:443,2001:db8:1::/48"],
  [NET6, "2001:db8::5,tcp:443,2001:db8:2::7/128", "2001:db8::5,tcp:443,2001:db8:2::7"],
  [BITMAP, "0", "0"],
  [BITMAP, "65535", "65535"],
] as const) {
  t.test(`${kind.type} ${kind.family}: ${text}`, async (t) => {
    const parts = parseEntry(kind, text);
    t.equal(parts && printEntry(kind.type, parts), canonical);
  });
}

for (const [kind, text] of [
  [IP, ""],
  [IP, "10.96.1"],
  [IP, "10.96.1.1,tcp:80"],
  [IP, "10.96.1.1 nomatch"],
  [IP, "fd00::1"],
  [IP6, "10.96.1.1"],
  [IP6, "::ffff:1.2.3.4"],
  [PORT, "10.96.1.1"],
  [PORT, "10.96.1.1,80"],
  [PORT, "10.96.1.1,tcp:65536"],
  [PORT, "10.96.1.1,256:1"],
  [PORT, "10.96.1.1,icmp:echo-request"],
  [PORT, "10.96.1.1,tcp:80:81"],
  [PORT, "10.96.1.1,tcp:"],
  [PORT, "10.96.1.x,tcp:80"],
  [SECOND, "10.71.1.5,tcp:8080"],
  [SECOND, "10.71.1.5,tcp:8080,10.71.1.5/32"],
  [SECOND, "10.71.1.5,tcp:8080,fd00::1"],
  [SECOND, "10.71.1.5,tcp:8080,10.71.1.5,10.71.1.5"],
  [NET, "203.0.113.5,tcp:443,192.0.2.0/33"],
  [NET, "203.0.113.5,tcp:443,2001:db8::/48"],
  [NET6, "2001:db8::5,tcp:443,10.0.0.0/8"],
  [BITMAP, "65536"],
  [BITMAP, "80-82"],
  [BITMAP, "http"],
] as const) {
  t.test(`no entry of ${kind.type} ${kind.family}: "${text}"`, async (t) => {
    t.equal(parseEntry(kind, text), undefined);
  });
}

t.test("what is printed is read again", async (t) => {
  const seed = takeSeed();
  const property = fc.property(arbitrarySetAndEntry(), ({ set, parts }) => {
    const text = printEntry(set.type, parts);
    const read = parseEntry(set, text);
    return read !== undefined && printEntry(set.type, read) === text && isDeepStrictEqual(read, { ...parts });
  });
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 1000 }));
});
