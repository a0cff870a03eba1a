import t from "tap";
import { setsOfFamily } from "../../src/state/dump-sets.ts";
import { parseSets } from "../../src/state/ipset-text.ts";

const SETS = parseSets(`create KUBE-CLUSTER-IP hash:ip,port family inet hashsize 1024 maxelem 65536
create KUBE-6-CLUSTER-IP hash:ip,port family inet6 hashsize 1024 maxelem 65536
create KUBE-NODE-PORT-TCP bitmap:port range 0-65535
create KUBE-6-NODE-PORT-TCP bitmap:port range 0-65535
create operator-ports bitmap:port range 0-65535
`);

t.test("ports alone are of the family in the name; those of others may be asked by both", async (t) => {
  const names = (family: "IPv4" | "IPv6") => setsOfFamily(SETS, family).map(({ name }) => name);
  t.strictSame(names("IPv4"), ["KUBE-CLUSTER-IP", "KUBE-NODE-PORT-TCP", "operator-ports"]);
  t.strictSame(names("IPv6"), ["KUBE-6-CLUSTER-IP", "KUBE-6-NODE-PORT-TCP", "operator-ports"]);
});
