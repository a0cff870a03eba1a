// Do names of chains fit, and do digits of endpoints spread them?
import t from "tap";
import { endpointChain, endpointDigits, subChain } from "../../../src/backends/indexed/names.ts";

t.test("an endpoint's chain has the hash of its list of recent clients", async (t) => {
  t.equal(endpointChain("KUBE-SEP-SK67X5GVSHENLH37"), "KUBE-IX-SEP-SK67X5GVSHENLH37");
});

t.test("chains below one another, and below others, have names of their own", async (t) => {
  const names = [subChain("KUBE-IX-SVC-A", "0"), subChain("KUBE-IX-SVC-A", "00"), subChain("KUBE-IX-SVL-A", "0")];
  t.equal(new Set(names).size, names.length);
  for (const name of names) t.match(name, /^KUBE-IX-SUB-[A-Z2-7]{16}$/);
});

t.test("endpoints fall into eight parts that are about equal", async (t) => {
  const counts = new Map<string, number>();
  for (let host = 0; host < 4000; host++) {
    const text = `10.244.${host >> 8}.${host & 255}:8080`;
    const digits = endpointDigits({ ...ENDPOINT, text });
    if (!/^[0-7]{16}$/.test(digits)) t.fail(text);
    counts.set(digits.charAt(0), (counts.get(digits.charAt(0)) ?? 0) + 1);
  }
  t.equal(counts.size, 8);
  for (const [digit, count] of counts) t.ok(count > 400 && count < 600, `${digit}: ${count}`);
});

const ENDPOINT = {
  ip: "10.244.0.1",
  port: 8080,
  local: false,
  ready: true,
  serving: true,
  terminating: false,
  zoneHints: [],
  nodeHints: [],
};
