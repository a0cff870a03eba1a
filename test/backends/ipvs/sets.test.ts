// Are the sets those that kube-proxy makes, under its names?
import t from "tap";
import { setsOf } from "../../../src/backends/ipvs/sets.ts";
import { FAMILIES } from "../../../src/net/family.ts";

t.test("IPv4 and IPv6 have seventeen sets each, under names of their own", async (t) => {
  const names = FAMILIES.flatMap((family) => setsOf(family).map(({ name }) => name));
  t.equal(names.length, 34);
  t.equal(new Set(names).size, 34);
  t.ok(names.every((name) => name.length <= 31));
});

t.test("two names of IPv6 are too long and lose their ends", async (t) => {
  const names = new Set(setsOf("IPv6").map(({ name }) => name));
  t.ok(names.has("KUBE-6-LOAD-BALANCER-SOURCE-CID"));
  t.ok(names.has("KUBE-6-NODE-PORT-LOCAL-SCTP-HAS"));
  t.ok(names.has("KUBE-6-LOAD-BALANCER-SOURCE-IP"), "the next longest does not");
});

t.test("sets of ports have no family", async (t) => {
  const families = new Set(setsOf("IPv6").map(({ type, family }) => `${type === "bitmap:port"} ${family}`));
  t.strictSame([...families], ["false inet6", "true none"]);
});
