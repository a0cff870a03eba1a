// Tests parsing statistic and recent.
import t from "tap";
import { parseRule } from "../../../src/trace/rule/rule.ts";
import { tryMatches, tryUnknown } from "../../support/rule-cases.ts";

const SEEN = { name: "DEFAULT", side: "source", reap: false, ttl: false, not: false } as const;

const MASK = "255.255.255.255";

tryMatches([
  ["-m statistic --mode random --probability 0.50000000000", { kind: "random", threshold: 2 ** 30, not: false }],
  ["-m statistic --mode random ! --probability 0.25000000000", { kind: "random", threshold: 2 ** 29, not: true }],
  ["-m statistic --mode random --probability 1.00000000000", { kind: "random", threshold: 2 ** 31, not: false }],
  ["-m statistic --mode random --probability 0", { kind: "random", threshold: 0, not: false }],
  ["-m statistic --mode nth --every 3 --packet 1", { kind: "nth", every: 3, packet: 1, not: false }],
  ["-m statistic --mode nth ! --every 3", { kind: "nth", every: 3, packet: 0, not: true }],
  [
    "-m recent --rcheck --seconds 60 --reap --name S --mask 255.255.255.255 --rsource",
    { kind: "recent", action: "check", ...SEEN, reap: true, name: "S", mask: MASK, seconds: 60 },
  ],
  [
    "-m recent --update --seconds 30 --hitcount 6 --rttl --name DEFAULT --mask 255.255.255.255 --rdest",
    { kind: "recent", action: "update", ...SEEN, side: "destination", ttl: true, mask: MASK, seconds: 30, hits: 6 },
  ],
  ["-m recent --set", { kind: "recent", action: "set", ...SEEN }],
  [
    "-m recent ! --remove --name --rsource",
    { kind: "recent", action: "remove", ...SEEN, name: "--rsource", not: true },
  ],
]);

tryUnknown([
  "-m statistic",
  "-m statistic --mode random",
  "-m statistic --mode random --probability 1.5",
  "-m statistic --mode random --probability 0.5 0.5",
  "-m statistic --mode random --probability 0.5 --every 3",
  "-m statistic --mode random --probability",
  "-m statistic --mode random --every 3",
  "-m statistic ! --mode random --probability 0.5",
  "-m statistic --mode other --every 3",
  "-m statistic --mode nth --packet 1",
  "-m statistic --mode nth --every x",
  "-m statistic --mode nth --every 3 --packet x",
  "-m statistic --mode nth --every 3 --packet 3",
  "-m statistic --mode nth --every 3 --probability 1",
  "-m recent --name S",
  "-m recent --set --remove",
  "-m recent --set x",
  "-m recent --set --seconds x",
  "-m recent --set --hitcount",
  "-m recent --set --mask x",
  "-m recent --set --new-option",
  "-m recent --set ! --rsource",
  "-m recent --set --name a --name b",
]);

t.test("the threshold is the number that the kernel keeps, up to three thousand endpoints", async (t) => {
  const differing = [];
  for (let count = 1; count <= 3000; count++) {
    // What is printed of the kernel's number, and what kube-proxy writes, which is where the number came from.
    const kernel = Math.round(Number((1 / count).toFixed(10)) * 2 ** 31);
    const printed = (kernel / 2 ** 31).toFixed(11);
    const [match] = parseRule(`-A X -m statistic --mode random --probability ${printed}`).matches;
    if (match?.kind !== "random" || match.threshold !== kernel) differing.push(count);
  }
  t.same(differing, []);
});
