// Are the chains of an index told from all others by their names?
import t from "tap";
import { isIndexChain } from "../../src/state/index-chain-name.ts";

for (const [name, expected] of [
  ["KUBE-IX-S-10.96.0.0-14", true],
  ["KUBE-IX-S-VQ5SRVWA5XCPQHKX", true],
  ["KUBE-IX-E-192.0.0.0-2", true],
  ["KUBE-IX-F-203.0.113.0-26", true],
  ["KUBE-IX-N-TCP-30208-30719", true],
  ["KUBE-IX-H-TCP", true],
  ["KUBE-IX-SVC-VQ5SRVWA5XCPQHKX", false],
  ["KUBE-IX-NODEPORTS", false],
  ["KUBE-IX-EXT-VQ5SRVWA5XCPQHKX", false],
  ["KUBE-SERVICES", false],
] as const) {
  t.test(name, async (t) => {
    t.equal(isIndexChain(name), expected);
  });
}
