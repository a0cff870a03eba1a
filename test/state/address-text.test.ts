import t from "tap";
import { printAddresses } from "../../src/state/address-text.ts";

t.test("interfaces first, then whole addresses as the kernel's tools write them", async (t) => {
  t.strictSame(printAddresses(["kube-ipvs0"], ["10.96.1.1", "fd00:96::1", "::102:304"]), [
    "link add kube-ipvs0 txqueuelen 0 type dummy",
    "address add 10.96.1.1/32 dev kube-ipvs0",
    "address add fd00:96::1/128 dev kube-ipvs0",
    "address add ::1.2.3.4/128 dev kube-ipvs0",
  ]);
  t.strictSame(printAddresses([], []), []);
});
