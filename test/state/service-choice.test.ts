import t from "tap";
import { belongsTo } from "../../src/state/service-choice.ts";

const CASES: readonly [name: string, servicePort: string, service: string, expected: boolean][] = [
  ["a port of the Service", "shop/cart:http", "shop/cart", true],
  ["the one port that was asked for", "shop/cart:http", "shop/cart:http", true],
  ["a port without a name", "shop/cart", "shop/cart", true],
  ["another port", "shop/cart:https", "shop/cart:http", false],
  ["a port whose name begins alike", "shop/cart:http-alt", "shop/cart:http", false],
  ["a Service whose name begins alike", "shop/cart-old:http", "shop/cart", false],
  ["a Service of the same name elsewhere", "test/cart:http", "shop/cart", false],
];

for (const [name, servicePort, service, expected] of CASES) {
  t.test(name, async (t) => {
    t.equal(belongsTo(servicePort, service), expected);
  });
}
