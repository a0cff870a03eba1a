// Are long texts broken where it does no harm?
import t from "tap";
import { distinctTexts, joinPieces, shorten, wrapWords } from "../../src/draw/lines.ts";

t.test("pieces stay whole", async (t) => {
  t.strictSame(joinPieces([]), []);
  t.strictSame(joinPieces(["from 10.0.0.1", "to this node"]), ["from 10.0.0.1, to this node"]);
  t.strictSame(joinPieces(["x".repeat(50), "to this node"]), [`${"x".repeat(50)},`, "  to this node"]);
});

t.test("prose is broken at blanks", async (t) => {
  t.strictSame(wrapWords("other traffic to web/fw:tls will be dropped by KUBE-PROXY-FIREWALL"), [
    "other traffic to web/fw:tls will be",
    "  dropped by KUBE-PROXY-FIREWALL",
  ]);
});

t.test("at most eight lines", async (t) => {
  const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);
  t.strictSame(shorten(lines(8)), lines(8));
  t.strictSame(shorten(lines(20)), [...lines(7), "+ 13 more"]);
});

t.test("a text is the same as another only as a whole", async (t) => {
  t.strictSame(distinctTexts([["a,", "  c"], ["b,", "  c"], ["a,", "  c"], []]), ["a,", "  c", "b,", "  c"]);
});
