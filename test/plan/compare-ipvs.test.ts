import t from "tap";
import { pagedList } from "../../src/paged-list.ts";
import { compareIpvs } from "../../src/plan/compare-ipvs.ts";
import { changedLines, printPlace } from "../../src/plan/difference.ts";
import { carriedOut } from "../../src/state/carried-out.ts";
import { emptyState, type KernelState } from "../../src/state/kernel-state.ts";
import type { ObservedServer } from "../../src/state/virtual-server.ts";
import { wantedClusters } from "../support/wanted.ts";

const [cluster] = await wantedClusters("ipvs");
const wanted = cluster?.wanted("IPv4") ?? emptyState("IPv4");
const found = carriedOut(wanted);

/** As it would be observed, with other servers. */
function withServers(change: (server: ObservedServer) => ObservedServer): KernelState {
  if (found.ipvs?.kind !== "observed") throw new Error("no IPVS");
  return { ...found, ipvs: { ...found.ipvs, servers: found.ipvs.servers.map(change) } };
}

const drained = {
  address: "10.71.9.9",
  port: 80,
  method: "masquerade",
  weight: 0,
  activeConnections: 1,
  inactiveConnections: 0,
} as const;

t.test("a real server that drains is where it should be, whatever else differs", async (t) => {
  const waiting = withServers((server) => ({ ...server, realServers: [...server.realServers, drained] }));
  t.strictSame(compareIpvs(wanted, waiting), []);
  const other = withServers((server) => ({
    ...server,
    scheduler: "lc",
    realServers: [...server.realServers, drained],
  }));
  const [difference] = compareIpvs(wanted, other);
  t.strictSame(difference && changedLines(difference).map(({ kind, text }) => `${kind} ${text.split(" ").at(-1)}`), [
    "goes lc",
    "comes rr",
  ]);
  t.ok(difference?.edits.some(({ kind, text }) => kind === "stays" && text.includes("10.71.9.9")));
});

t.test("one whose connections have ended goes", async (t) => {
  const ended = { ...drained, activeConnections: 0 };
  const idle = withServers((server) => ({ ...server, realServers: [...server.realServers, ended] }));
  for (const difference of compareIpvs(wanted, idle)) {
    t.strictSame(
      changedLines(difference).map(({ kind }) => kind),
      ["goes"],
      printPlace(difference.place),
    );
  }
});

t.test("nobody looked, or nobody wants it", async (t) => {
  t.strictSame(compareIpvs(wanted, emptyState("IPv4")), []);
  t.strictSame(compareIpvs(emptyState("IPv4"), found), []);
});

t.test("an interface that is missing is made, with all of its addresses", async (t) => {
  if (found.ipvs?.kind !== "observed") throw new Error("no IPVS");
  const bare = { ...found, ipvs: { ...found.ipvs, devices: [], addresses: [] } };
  const [difference] = compareIpvs(wanted, bare);
  t.equal(difference?.change, "new");
  t.match(
    difference?.edits.map(({ kind, text }) => `${kind} ${text}`),
    ["comes link add kube-ipvs0 txqueuelen 0 type dummy", /^comes address add \S+\/32 dev kube-ipvs0$/],
  );
});

t.test("a fragment of another mode has nothing of it", async (t) => {
  const fragment = { key: "a/b/TCP", size: 0, chains: () => [], shares: () => new Map(), ipvs: () => undefined };
  const other = { ...wanted, fragments: pagedList([...wanted.fragments, fragment]) };
  t.strictSame(compareIpvs(other, found), []);
});
