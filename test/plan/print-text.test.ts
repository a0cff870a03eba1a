import t from "tap";
import type { Difference } from "../../src/plan/difference.ts";
import { printText } from "../../src/plan/print-text.ts";

const edits = [
  { kind: "stays", text: "-A X -j A" },
  { kind: "comes", text: "-A X -j B", owner: "shop/cart:http" },
] as const;
const difference: Difference = {
  family: "IPv6",
  place: { kind: "chain", table: "nat", name: "X" },
  change: "changed",
  edits,
};

t.test("what stays against our wish is told below its family, whatever else there is", async (t) => {
  const kept = { table: "nat", chain: "KUBE-FW-X", rule: "-A Y -j KUBE-FW-X" } as const;
  t.strictSame(
    [
      ...printText(
        [difference],
        [
          { family: "IPv6", ...kept },
          { family: "IPv4", ...kept },
        ],
      ),
    ],
    [
      "# IPv4",
      "! nat KUBE-FW-X stays, empty, because of: -A Y -j KUBE-FW-X",
      "",
      "# IPv6",
      "! nat KUBE-FW-X stays, empty, because of: -A Y -j KUBE-FW-X",
      "",
      "# IPv6 Service shop/cart",
      "nat X",
      "+ -A X -j B",
    ],
  );
  t.strictSame([...printText([], [])], []);
});
