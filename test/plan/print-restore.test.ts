import t from "tap";
import type { Plan, Step } from "../../src/plan/plan.ts";
import { printRestore, printRestoreOf } from "../../src/plan/print-restore.ts";

const set = { name: "KUBE-X", type: "hash:ip,port,net", family: "inet" } as const;
const device = "kube-ipvs0";
const planOf = (...steps: readonly Step[]): Plan => ({ steps, kept: [] });

t.test("each step in the language of its tool", async (t) => {
  const plan = planOf(
    { kind: "sysctl", path: "net/ipv4/ip_forward", value: "1" },
    { kind: "counter", name: "dropped" },
    { kind: "device", name: device },
    {
      kind: "sets",
      changes: [
        { kind: "create", set },
        { kind: "remove", set, entries: ["10.0.0.1,tcp:80,10.0.0.0/8 nomatch"] },
        { kind: "add", set, entries: ["10.0.0.1,tcp:80,10.0.0.0/8"] },
        { kind: "swap", name: "KUBE-X", other: "KUBE-Y" },
        { kind: "destroy", name: "KUBE-Y" },
      ],
    },
    { kind: "bind", device, addresses: ["fd00::1"] },
    {
      kind: "iptables",
      family: "IPv6",
      changes: [{ table: "nat", clear: ["KUBE-X"], rules: ["-A KUBE-X -j RETURN"], remove: [] }],
    },
    { kind: "unbind", device, addresses: ["10.0.0.1"] },
    { kind: "remove-device", name: device },
  );
  t.equal(
    [...printRestore([plan])].join("\n"),
    `# sysctl
net.ipv4.ip_forward = 1

# nfacct
{ pkts = 0, bytes = 0 } = dropped;

# addresses
link add kube-ipvs0 txqueuelen 0 type dummy

# ipset
create KUBE-X hash:ip,port,net family inet hashsize 1024 maxelem 65536
del KUBE-X 10.0.0.1,tcp:80,10.0.0.0/8
add KUBE-X 10.0.0.1,tcp:80,10.0.0.0/8
swap KUBE-X KUBE-Y
destroy KUBE-Y

# addresses
address add fd00::1/128 dev kube-ipvs0

# ip6tables
*nat
:KUBE-X - [0:0]
-A KUBE-X -j RETURN
COMMIT

# addresses
address del 10.0.0.1/32 dev kube-ipvs0
link del kube-ipvs0`,
  );
});

t.test("what both families need is done once", async (t) => {
  const sysctl = { kind: "sysctl", path: "net/ipv4/ip_forward", value: "1" } as const;
  const made = { kind: "device", name: device } as const;
  const gone = { kind: "remove-device", name: device } as const;
  const unbind = (address: string) => ({ kind: "unbind", device, addresses: [address] }) as const;
  const plans = [planOf(sysctl, made, unbind("10.0.0.1"), gone), planOf(sysctl, made, unbind("fd00::1"), gone)];
  t.strictSame(
    [...printRestoreOf(plans, "addresses")],
    [
      "link add kube-ipvs0 txqueuelen 0 type dummy",
      "address del 10.0.0.1/32 dev kube-ipvs0",
      "address del fd00::1/128 dev kube-ipvs0",
      "link del kube-ipvs0",
    ],
  );
  t.strictSame([...printRestoreOf(plans, "sysctl")], ["net.ipv4.ip_forward = 1"]);
});
