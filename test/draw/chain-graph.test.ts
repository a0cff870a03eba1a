// Does a graph have all that concerns one ServicePort, and nothing of others?
import t from "tap";
import { chainGraph } from "../../src/draw/chain-graph.ts";
import type { Graph } from "../../src/draw/graph.ts";
import type { Fragment } from "../../src/state/kernel-state.ts";
import { buildChain, buildFragment, buildState } from "../support/fragments.ts";
import { BACKEND, INDEXED_BACKEND, IPVS_BACKEND } from "../support/templates.ts";
import { wantedClusters } from "../support/wanted.ts";

function labelOf({ arrows }: Graph, to: string): readonly string[] | undefined {
  return arrows.find((arrow) => arrow.to === to)?.labels;
}

t.test("a chain of others is not drawn, whoever jumps to it", async (t) => {
  const mine = buildFragment("ns/a/TCP", ["KUBE-SVC-A"], [buildChain("KUBE-SVC-A", "DROP")]);
  const other = buildFragment("ns/b/TCP", ["KUBE-SVC-B"], [buildChain("KUBE-SVC-B", "DROP")]);
  const { boxes } = chainGraph(buildState([mine, other]), mine);
  t.strictSame(boxes.map(({ id }) => id).sort(), ["nat DROP", "nat KUBE-SERVICES", "nat KUBE-SVC-A"]);
});

t.test("a fixed rule that leads nowhere is nobody's", async (t) => {
  const mine = buildFragment("ns/a/TCP", ["DROP"]);
  const chains = [buildChain("KUBE-SERVICES", "KUBE-EMPTY", "ACCEPT"), buildChain("KUBE-EMPTY", "DROP")];
  const { boxes } = chainGraph(buildState([mine], chains), mine);
  t.strictSame(
    boxes.map(({ id, notes }) => [id, ...notes]),
    [["nat KUBE-SERVICES"], ["nat DROP"]],
  );
});

t.test("a target that nobody draws stands in the box by its name", async (t) => {
  const rules = ["-A KUBE-SVC-A -s 10.0.0.1/32 -j LOG", "-A KUBE-SVC-A -j ACCEPT"].map((line) => ({ line }));
  const mine = buildFragment("ns/a/TCP", [], [{ name: "KUBE-SVC-A", hold: "ours", rules }]);
  const [box] = chainGraph(buildState([mine]), mine).boxes;
  t.strictSame(box?.notes, ["LOG: from 10.0.0.1", "accept"]);
});

t.test("what a comment says of the Service is said on the arrow", async (t) => {
  const rules = [{ line: '-A KUBE-EXT-A -m comment --comment "ns/a has no endpoints" -j DROP' }];
  const mine = buildFragment("ns/a/TCP", [], [{ name: "KUBE-EXT-A", hold: "ours", rules }]);
  t.strictSame(labelOf(chainGraph(buildState([mine]), mine), "nat DROP"), ["has no endpoints"]);
});

t.test("who comes last takes all others", async (t) => {
  const line = (text: string) => ({ line: `-A KUBE-EXT-A ${text}` });
  const rules = [line("-s 10.0.0.1/32 -j RETURN"), line("-j KUBE-SVC-A")];
  const chains = [buildChain("KUBE-SVC-A", "DROP")];
  const mine = buildFragment("ns/a/TCP", [], [{ name: "KUBE-EXT-A", hold: "ours", rules }, ...chains]);
  t.strictSame(labelOf(chainGraph(buildState([mine]), mine), "nat KUBE-SVC-A"), ["all others"]);
});

t.test("a virtual server that no set leads to is reached from its hook", async (t) => {
  const server = { address: "10.96.0.1", protocol: "TCP", port: 80, scheduler: "rr" } as const;
  const servers = [{ ...server, schedulerFlags: 0, persistence: 0, realServers: [] }];
  const share = { entries: [], servers, addresses: [], rules: [] };
  const mine: Fragment = { key: "ns/a/TCP", size: 0, chains: () => [], shares: () => new Map(), ipvs: () => share };
  const { boxes, arrows } = chainGraph(buildState([mine]), mine);
  t.strictSame(
    boxes.map(({ caption, name }) => `${caption} ${name}`),
    ["ipvs INPUT", "ipvs 10.96.0.1:80/TCP"],
  );
  t.equal(arrows.length, 1);
});

for (const [kind, backend] of [
  ["iptables", BACKEND],
  ["Indexed", INDEXED_BACKEND],
  ["ipvs", IPVS_BACKEND],
] as const) {
  t.test(`${kind}: every endpoint of every cluster is there, and reached from a hook`, async (t) => {
    let count = 0;
    for (const { name, wanted } of await wantedClusters(backend)) {
      for (const state of [wanted("IPv4"), wanted("IPv6")]) {
        for (const fragment of state.fragments) {
          const graph = chainGraph(state, fragment);
          const missing = endpointsOf(fragment).filter((end) => !reachedFromHooks(graph).has(`to ${end}`));
          count += endpointsOf(fragment).length;
          if (missing.length > 0) t.strictSame(missing, [], `${name} ${graph.title}`);
        }
      }
    }
    t.ok(count > 20, `${count} endpoints`);
  });
}

/** Where the fragment's own text sends packets; an unused chain (external addresses without any) has some too. */
function endpointsOf(fragment: Fragment): readonly string[] {
  const servers = fragment.ipvs()?.servers ?? [];
  const real = servers.flatMap(({ realServers }) => realServers);
  const used = [...fragment.shares("nat").values()].flat().length > 0;
  const lines = fragment.chains("nat").flatMap(({ rules }) => rules.map(({ line }) => line));
  return [
    ...real.map(({ address, port }) => `${address.includes(":") ? `[${address}]` : address}:${port}`),
    ...(used ? lines.flatMap((line) => /--to-destination (\S+)/.exec(line)?.[1] ?? []) : []),
  ];
}

function reachedFromHooks({ boxes, arrows }: Graph): ReadonlySet<string> {
  const reached = new Set(boxes.filter(({ kind }) => kind === "hook").map(({ id }) => id));
  for (const id of reached) for (const { from, to } of arrows) if (from === id) reached.add(to);
  return reached;
}
