import t from "tap";
import { ALL_BITS, readMasked, readNumber, readRange } from "../../src/trace/rule-numbers.ts";

t.test("numbers", async (t) => {
  t.equal(readNumber("80", 65_535), 80);
  t.equal(readNumber("0x1F", 65_535), 31);
  t.equal(readNumber("4294967295", ALL_BITS), ALL_BITS);
  for (const text of ["", "65536", "-1", "1.5", "0x", "0x1ffffffff", "http", " 1"]) {
    t.equal(readNumber(text, 65_535), undefined, `no number: "${text}"`);
  }
});

t.test("ranges", async (t) => {
  t.same(readRange("80", ":", 65_535), { from: 80, to: 80 });
  t.same(readRange("80:90", ":", 65_535), { from: 80, to: 90 });
  t.same(readRange("80-90", "-", 65_535), { from: 80, to: 90 });
  for (const text of ["90:80", "80:", ":80", "80:90:100", "80-90"]) {
    t.equal(readRange(text, ":", 65_535), undefined, `no range: "${text}"`);
  }
});

t.test("values with a mask", async (t) => {
  t.same(readMasked("0x4000/0xf000", ALL_BITS), { value: 0x4000, mask: 0xf000 });
  t.same(readMasked("7", ALL_BITS), { value: 7, mask: ALL_BITS });
  for (const text of ["", "/1", "1/", "1/2/3", "x/1"]) {
    t.equal(readMasked(text, ALL_BITS), undefined, `no value: "${text}"`);
  }
});
