// How are ServicePorts printed and ordered?
import t from "tap";
import { compareNames, portKey, printName, type ServicePortName } from "../../src/model/names.ts";

const name = (text: string): ServicePortName => {
  const [namespace = "", service = "", port = "", protocol = ""] = text.split(" ");
  return { namespace, name: service, port: port === "-" ? "" : port, protocol: protocol === "UDP" ? "UDP" : "TCP" };
};

t.test("printed names", async (t) => {
  t.equal(printName(name("shop cart http TCP")), "shop/cart:http");
  t.equal(printName(name("shop cart - TCP")), "shop/cart", "a port without a name has no colon");
  t.equal(printName(name("shop cart http UDP")), "shop/cart:http", "the protocol is not in it");
});

t.test("a slice's port is tied by name and protocol", async (t) => {
  t.not(portKey("dns", "UDP"), portKey("dns", "TCP"));
  t.not(portKey("dns", "UDP"), portKey("", "UDP"));
  t.equal(portKey("", "TCP"), portKey("", "TCP"));
});

const ORDERED = [
  "a b http TCP",
  "a b http UDP",
  "a b web TCP",
  "a c - TCP",
  "a c http TCP",
  "a-b a http TCP", // the namespace goes first: as text, "a-b/a" comes before "a/b"
  "b a http TCP",
].map(name);

t.test("order: namespace, name, port name, protocol", async (t) => {
  for (const [at, one] of ORDERED.entries()) {
    for (const [index, other] of ORDERED.entries()) {
      t.equal(Math.sign(compareNames(one, other)), Math.sign(at - index), `${printName(one)} and ${printName(other)}`);
    }
  }
});
