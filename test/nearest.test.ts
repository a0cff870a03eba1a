// Checks which known name is taken for a misspelt one.
import t from "tap";
import { didYouMean, nearestName } from "../src/nearest.ts";

const SERVICES = ["demo/web", "demo/api", "shop/cart", "kube-system/kube-dns"];

t.test("a misspelt name is answered with the nearest known one", (t) => {
  t.equal(nearestName("demo/webb", SERVICES), "demo/web");
  t.equal(nearestName("demo/wbe", SERVICES), "demo/web", "two letters swapped");
  t.equal(nearestName("shop/crat", SERVICES), "shop/cart");
  t.equal(nearestName("default/kube-dns", ["default/kube-dsn", "x/kube-dns"]), "default/kube-dsn", "the fewest edits");
  t.equal(nearestName("cart", SERVICES), "shop/cart", "without its namespace");
  t.end();
});

t.test("a name that is near to none gets no hint", (t) => {
  t.equal(nearestName("monitoring/grafana", SERVICES), undefined);
  t.equal(nearestName("demo/web", []), undefined);
  t.equal(didYouMean("monitoring/grafana", SERVICES), "");
  t.equal(didYouMean("rendr", ["render", "diff"]), '; did you mean "render"?');
  t.end();
});
