import t from "tap";
import { isOlder } from "../../src/source/resource-version.ts";

for (const [version, than, older] of [
  ["9", "10", true],
  ["10", "9", false],
  ["10", "10", false],
  ["123456789012345678901", "123456789012345678902", true],
  ["a", "b", false],
  ["1", "b", false],
  ["", "1", false],
] as const) {
  t.test(`is ${version || "none"} older than ${than}`, (t) => {
    t.equal(isOlder(version, than), older);
    t.end();
  });
}
