// Who wants a thing that IPVS mode has once?
import t from "tap";
import { pagedList } from "../../src/paged-list.ts";
import {
  claimantsIn,
  claimedIn,
  desiredUnder,
  entryKey,
  keysOf,
  realKey,
  serverAt,
  serverKey,
} from "../../src/state/ipvs-claims.ts";
import type { Fragment, IpvsShare } from "../../src/state/kernel-state.ts";
import { buildIpvsFragment, buildReal, buildServed, buildServer } from "../support/build-ipvs.ts";
import { buildFragment } from "../support/fragments.ts";

const SERVER = buildServer("10.0.0.1", ["10.1.0.1"]);
const NOTHING: IpvsShare = { entries: [], servers: [], addresses: [], rules: [] };
const SIX = buildServer("fd00::1", [], { protocol: "UDP", port: 53 });

t.test("each thing has a key of its own", async (t) => {
  t.equal(entryKey({ set: "KUBE-IPVS-IPS", entry: "10.0.0.1" }), "KUBE-IPVS-IPS 10.0.0.1");
  t.strictSame([serverKey(SERVER), serverKey(SIX)], ["10.0.0.1:80/TCP", "[fd00::1]:53/UDP"]);
  t.equal(realKey(SIX, buildReal("fd00:1::5")), "[fd00::1]:53/UDP to fd00:1::5 8080");
  t.strictSame(keysOf(buildServed("10.0.0.1", ["10.1.0.1"]).ipvs() ?? NOTHING), [
    "KUBE-CLUSTER-IP 10.0.0.1,tcp:80",
    "KUBE-IPVS-IPS 10.0.0.1",
    "10.0.0.1:80/TCP",
    "10.0.0.1",
  ]);
});

/** So many that they fill several pages, the last of another mode. */
const MANY: readonly Fragment[] = [
  ...Array.from({ length: 200 }, (_, at) => buildServed(`10.0.0.${at}`, [`10.1.0.${at}`])),
  buildFragment("other"),
];

t.test("what any of many wants is claimed, and nothing else", async (t) => {
  const list = pagedList(MANY);
  t.ok(list.pages.length > 2);
  const some = ["10.0.0.0", "10.0.0.199:80/TCP", "KUBE-CLUSTER-IP 10.0.0.77,tcp:80"];
  const none = ["10.0.0.200", "10.0.0.1:81/TCP", "KUBE-IPVS-IPS 10.0.0.1,tcp:80"];
  for (const key of some) t.strictSame([...claimedIn(list, [key])], [key]);
  for (const key of none) t.strictSame([...claimedIn(list, [key])], []);
  t.strictSame(claimedIn(list, [...none, ...some]), new Set(some));
  const all = MANY.flatMap((fragment) => keysOf(fragment.ipvs() ?? NOTHING));
  t.strictSame(claimedIn(list, [...none, ...all]), new Set(all), "more keys than a page has claims");
  t.equal(claimedIn(list, []).size, 0);
});

t.test("a virtual server is that of the last who wants it, on whatever page", async (t) => {
  const again = buildServed("10.0.0.3", ["10.1.9.9"]);
  const reals = (...more: readonly Fragment[]) =>
    serverAt(pagedList([...more, ...MANY]), "10.0.0.3:80/TCP")?.realServers.map(({ address }) => address);
  t.strictSame(reals(), ["10.1.0.3"]);
  t.strictSame(reals(again), ["10.1.0.3"], "another one in front");
  t.strictSame(serverAt(pagedList([...MANY, again]), "10.0.0.3:80/TCP")?.realServers, [buildReal("10.1.9.9")]);
  const two = buildIpvsFragment("two", { servers: [SERVER, buildServer("10.0.0.1", ["10.1.0.2"])] });
  t.strictSame(
    serverAt(pagedList([two]), "10.0.0.1:80/TCP")?.realServers,
    [buildReal("10.1.0.2")],
    "one who wants it twice",
  );
  t.equal(serverAt(pagedList(MANY), "10.0.0.3:81/TCP"), undefined);
});

t.test("two things of which the same is remembered are told apart", async (t) => {
  const list = pagedList([buildServed("10.59.205.3", ["10.1.0.1"]), ...MANY]);
  const keys = ["10.59.205.3:80/TCP", "10.135.98.2:80/TCP"];
  t.strictSame([...claimedIn(list, keys)], keys.slice(0, 1));
  t.strictSame([...claimedIn(list, keys.slice(1))], []);
  t.equal(serverAt(list, "10.135.98.2:80/TCP"), undefined);
});

t.test("who wants a thing is told by its key, the last of all", async (t) => {
  const list = pagedList([...MANY, { ...buildServed("10.0.0.5", []), key: "last" }]);
  const cases = {
    "10.0.0.9:80/TCP": "10.0.0.9 80",
    "10.0.0.9:80/TCP to 10.1.0.9 8080": "10.0.0.9 80",
    "KUBE-IPVS-IPS 10.0.0.5": "last",
    "10.0.0.5": "last",
    "10.9.9.9": undefined,
  };
  const claimants = claimantsIn(list, Object.keys(cases));
  for (const [key, claimant] of Object.entries(cases)) t.equal(claimants.get(key)?.key, claimant, key);
});

t.test("what is desired under a key differs where a virtual server has other settings", async (t) => {
  const other = buildServed("10.0.0.2", ["10.1.0.1"], { persistence: 600 });
  const list = pagedList([...MANY.filter(({ key }) => key !== other.key), other]);
  const keys = ["10.0.0.1:80/TCP", "10.0.0.2:80/TCP", "10.0.0.2:80/TCP to 10.1.0.1 8080", "KUBE-IPVS-IPS 10.0.0.2"];
  const nobody = ["10.0.0.2:80/TCP to 10.1.0.9 8080", "10.9.9.9:80/TCP to 10.1.0.9 8080", "10.9.9.9"];
  t.strictSame(
    [...desiredUnder(list, [...keys, ...nobody])],
    [
      [keys[0], "rr 0 0"],
      [keys[1], "rr 0 600"],
      [keys[2], ""],
      [keys[3], ""],
    ],
  );
});
