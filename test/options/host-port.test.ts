// Tests splitting addresses and ports.
import t from "tap";
import { splitHostPort, withPort } from "../../src/options/host-port.ts";

const split: readonly [string, ReturnType<typeof splitHostPort>][] = [
  ["10.0.0.1:80", { host: "10.0.0.1", port: "80" }],
  ["[fd00::1]:80", { host: "fd00::1", port: "80" }],
  [":80", { host: "", port: "80" }],
  ["host:", { host: "host", port: "" }],
  ["", { wrong: "address : missing port in address" }],
  ["10.0.0.1", { wrong: "address 10.0.0.1: missing port in address" }],
  ["fd00::1", { wrong: "address fd00::1: too many colons in address" }],
  ["[fd00::1]", { wrong: "address [fd00::1]: missing port in address" }],
  ["[fd00::1]80", { wrong: "address [fd00::1]80: too many colons in address" }],
  ["[fd00::1", { wrong: "address [fd00::1: missing ']' in address" }],
  ["10.0.0.1]:80", { wrong: "address 10.0.0.1]:80: unexpected bracket in address" }],
];

for (const [text, expected] of split) {
  t.test(`${JSON.stringify(text)} is split`, async (t) => {
    t.strictSame(splitHostPort(text), expected);
  });
}

const completed: readonly [string, string][] = [
  ["10.0.0.1", "10.0.0.1:12345"],
  ["fd00::5", "[fd00::5]:12345"],
  ["10.0.0.1:80", "10.0.0.1:80"],
  ["[fd00::5]:80", "[fd00::5]:80"],
  ["[fd00::5]", "[fd00::5]"],
  ["", ""],
  ["localhost", "localhost"],
  ["::ffff:10.0.0.1", "::ffff:10.0.0.1:12345"],
];

for (const [text, expected] of completed) {
  t.test(`${JSON.stringify(text)} with port 12345 is ${JSON.stringify(expected)}`, async (t) => {
    t.equal(withPort(text, 12345), expected);
  });
}
