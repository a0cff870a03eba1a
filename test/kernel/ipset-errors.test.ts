import t from "tap";
import { setErrorWords } from "../../src/kernel/ipset-errors.ts";

for (const [errno, type, code] of [
  [2, undefined, "ENOENT"],
  [12, undefined, "ENOMEM"],
  [4103, "hash:ip", "IPSET_ERR_EXIST"],
  [4352, "hash:ip,port", "IPSET_ERR_HASH_FULL"],
  [4352, "bitmap:port", "IPSET_ERR_BITMAP_RANGE"],
  [4352, undefined, "4352"],
  [4999, "hash:ip", "4999"],
] as const) {
  t.test(`${errno} of ${type ?? "no type"}: ${code}`, async (t) => {
    t.equal(setErrorWords(errno, type).code, code);
  });
}
