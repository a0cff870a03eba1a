import t from "tap";
import { changedLines, printPlace } from "../../src/plan/difference.ts";
import { leavingDifferences, leavingSteps } from "../../src/plan/leave-ipvs.ts";
import { parseDump } from "../../src/state/dump.ts";
import { emptyState } from "../../src/state/kernel-state.ts";

const NODE = `create KUBE-NODE-PORT-TCP bitmap:port range 0-65535
add KUBE-NODE-PORT-TCP 31080
-A -t 10.96.0.1:443 -s rr
-a -t 10.96.0.1:443 -r 10.244.0.1:6443 -m -w 1
-A -t 192.0.2.1:31080 -s rr
-A -t 198.51.100.1:80 -s rr
link add kube-ipvs0 txqueuelen 0 type dummy
address add 10.96.0.1/32 dev kube-ipvs0
`;

const actual = parseDump(NODE, "IPv4").states.get("IPv4") ?? emptyState("IPv4");

t.test("all of ours goes, servers of others stay", async (t) => {
  const differences = leavingDifferences(emptyState("IPv4"), actual);
  t.strictSame(
    differences.map((each) => [printPlace(each.place), each.change, changedLines(each).map(({ text }) => text)]),
    [
      [
        "ipvs 10.96.0.1:443/TCP",
        "gone",
        ["-A -t 10.96.0.1:443 -s rr", "-a -t 10.96.0.1:443 -r 10.244.0.1:6443 -m -w 1"],
      ],
      ["ipvs 192.0.2.1:31080/TCP", "gone", ["-A -t 192.0.2.1:31080 -s rr"]],
      ["ipset KUBE-NODE-PORT-TCP", "gone", ["create KUBE-NODE-PORT-TCP bitmap:port range 0-65535"]],
      [
        "addresses kube-ipvs0",
        "gone",
        ["address add 10.96.0.1/32 dev kube-ipvs0", "link add kube-ipvs0 txqueuelen 0 type dummy"],
      ],
    ],
  );
});

const NODE_PORTS = { name: "KUBE-NODE-PORT-TCP", type: "bitmap:port", family: "none" } as const;

t.test("nothing where the mode is wanted, or nobody looked; but sets that it does not have", async (t) => {
  const ipvs = { kind: "wanted", sets: [NODE_PORTS], devices: ["kube-ipvs0"], spared: [] } as const;
  t.strictSame(leavingSteps({ ...emptyState("IPv4"), ipvs }, actual), []);
  t.strictSame(leavingDifferences({ ...emptyState("IPv4"), ipvs }, actual), []);
  t.strictSame(leavingDifferences(emptyState("IPv4"), emptyState("IPv4")), []);
  t.match(leavingSteps({ ...emptyState("IPv4"), ipvs: { ...ipvs, sets: [] } }, actual), [
    { kind: "sets", changes: [{ kind: "destroy", name: "KUBE-NODE-PORT-TCP" }] },
  ]);
});

t.test("another mode's own sets stay", async (t) => {
  const ipvs = { kind: "wanted", sets: [NODE_PORTS], devices: [], spared: [] } as const;
  const names = leavingDifferences({ ...emptyState("IPv4"), ipvs }, actual).map(({ place }) => printPlace(place));
  t.strictSame(names, ["ipvs 10.96.0.1:443/TCP", "ipvs 192.0.2.1:31080/TCP", "addresses kube-ipvs0"]);
});
