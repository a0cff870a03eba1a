// Do the lines say exactly what the plan would do?
import t from "tap";
import { FAMILIES } from "../../src/net/family.ts";
import { compare } from "../../src/plan/compare.ts";
import { diff } from "../../src/plan/diff.ts";
import { printPlace } from "../../src/plan/difference.ts";
import { carriedOut } from "../../src/state/carried-out.ts";
import { emptyState } from "../../src/state/kernel-state.ts";
import { BACKEND, IPVS_BACKEND } from "../support/templates.ts";
import { wantedClusters } from "../support/wanted.ts";

for (const backend of [BACKEND, IPVS_BACKEND]) {
  t.test(`${backend.mode}: from each cluster to the next`, async (t) => {
    const clusters = await wantedClusters(backend.mode);
    for (const [index, { name, wanted }] of clusters.entries()) {
      const next = clusters[(index + 1) % clusters.length] ?? clusters[0];
      for (const family of FAMILIES) {
        const actual = carriedOut(wanted(family));
        const target = next?.wanted(family) ?? emptyState(family);
        const { differences, kept } = compare(target, actual, backend.jumps);
        const { steps } = diff(target, actual, { jumps: backend.jumps, variant: "legacy" });
        t.equal(differences.length === 0, steps.length === 0, `${name} to ${next?.name} ${family}`);
        t.strictSame(kept, []);
        const chains = steps.flatMap((step) =>
          step.kind === "iptables"
            ? step.changes.flatMap(({ table, clear }) => clear.map((chain) => `${table} ${chain}`))
            : [],
        );
        const whole = differences.filter(({ place }) => place.kind === "chain" && place.name.startsWith("KUBE-"));
        t.strictSame(
          whole.map(({ place }) => printPlace(place)).sort(),
          chains.sort(),
          "chains that are written or go",
        );
      }
    }
  });
}

t.test("clean-up is the way to nothing", async (t) => {
  const [cluster] = await wantedClusters();
  const actual = carriedOut(cluster?.wanted("IPv4") ?? emptyState("IPv4"));
  const { differences } = compare(emptyState("IPv4"), actual, BACKEND.jumps);
  const jumps = differences.filter(({ place }) => printPlace(place) === "nat PREROUTING");
  t.match(jumps, [{ change: "changed", edits: [{ kind: "goes", text: /-j KUBE-SERVICES$/ }] }]);
  const names = differences.map(({ place }) => printPlace(place));
  t.strictSame(
    names.filter((name) => name.endsWith(" KUBE-FIREWALL")),
    [],
    "kubelet's stays",
  );
  t.ok(differences.every(({ change, place }) => change === "gone" || !printPlace(place).includes(" KUBE-")));
});

t.test("counters that are missing come, settings that differ are told as they were", async (t) => {
  const wanted = { ...emptyState("IPv4"), counters: ["a", "b"], sysctls: [{ path: "net/x", value: "1" }] };
  const actual = { ...emptyState("IPv4"), counters: ["a"], sysctls: [{ path: "net/x", value: "0" }] };
  t.strictSame(
    compare(wanted, actual, []).differences.map(({ place, edits }) => [
      printPlace(place),
      edits.map(({ kind, text }) => `${kind} ${text}`),
    ]),
    [
      ["sysctl", ["goes net.x = 0", "comes net.x = 1"]],
      ["nfacct", ["comes b"]],
    ],
  );
});
