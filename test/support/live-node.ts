// What stands round a node on which the rules change while connections go through them?
//
//   outside ──eth0── node ──cni0── pods     pods: all that Services lead to
//                     └─────cni1── caller   caller: a pod that only asks
import type { Test } from "tap";
import { configure, makeNetns, type Netns, removeNetns } from "./netns.ts";
import { type At, Talker } from "./talker.ts";

const ROLES = ["node", "outside", "pods", "caller"] as const;

type Role = (typeof ROLES)[number];

export interface LiveNode {
  readonly netns: Readonly<Record<Role, Netns>>;
  readonly talkers: Readonly<Record<Role, Talker>>;
}

/** Where servers of TCP and UDP listen; the pods of `fd00:71:1::` and `10.71.1.` are reached over the node. */
export const ENDPOINTS: readonly At[] = ["10.71.1.5", "10.71.1.6", "10.71.1.7", "fd00:71:1::5", "fd00:71:1::6"].map(
  (address) => ({ address, port: 8080 }),
);

function networkOf({
  outside,
  pods,
  caller,
}: Readonly<Record<Role, Netns>>): Readonly<Record<Role, readonly string[]>> {
  return {
    node: [
      `link add eth0 type veth peer name eth0 netns ${outside.name}`,
      `link add cni0 type veth peer name eth0 netns ${pods.name}`,
      `link add cni1 type veth peer name eth0 netns ${caller.name}`,
      ...linkOf("192.0.2.10/24", "fd00:2::10/64", "eth0"),
      ...linkOf("10.71.1.1/24", "fd00:71:1::1/64", "cni0"),
      ...linkOf("10.71.2.1/24", "fd00:71:2::1/64", "cni1"),
      // As on any node, something is a way to Services' addresses.
      "route add default via 192.0.2.1",
      "route add ::/0 via fd00:2::1",
    ],
    outside: linkOf("192.0.2.1/24", "fd00:2::1/64", "eth0"),
    pods: [
      ...linkOf("10.71.1.5/24", "fd00:71:1::5/64", "eth0"),
      "addr add 10.71.1.6/24 dev eth0",
      "addr add 10.71.1.7/24 dev eth0",
      "addr add fd00:71:1::6/64 dev eth0 nodad",
      "route add default via 10.71.1.1",
      "route add ::/0 via fd00:71:1::1",
    ],
    caller: [
      ...linkOf("10.71.2.5/24", "fd00:71:2::5/64", "eth0"),
      "route add default via 10.71.2.1",
      "route add ::/0 via fd00:71:2::1",
    ],
  };
}

function linkOf(v4: string, v6: string, device: string): readonly string[] {
  return [`addr add ${v4} dev ${device}`, `addr add ${v6} dev ${device} nodad`, `link set ${device} up`];
}

/** It goes with the test. The node's namespace may be one that exists. */
export async function makeLiveNode(t: Test, makeNode = makeNetns): Promise<LiveNode> {
  const netns = {
    node: await makeNode("node"),
    outside: await makeNetns("outside"),
    pods: await makeNetns("pods"),
    caller: await makeNetns("caller"),
  };
  const network = networkOf(netns);
  await netns.node.agent.sysctl({ "net/ipv4/ip_forward": "1", "net/ipv6/conf/all/forwarding": "1" });
  for (const role of ROLES) await configure(netns[role].name, network[role]);
  const talkerIn = (role: Role) => new Talker(netns[role].path);
  const talkers = {
    node: talkerIn("node"),
    outside: talkerIn("outside"),
    pods: talkerIn("pods"),
    caller: talkerIn("caller"),
  };
  t.teardown(async () => {
    for (const role of ROLES) await talkers[role].stop();
    await configure(netns.node.name, ["link del eth0", "link del cni0", "link del cni1"]);
    for (const role of ROLES) await removeNetns(netns[role]);
  });
  for (const at of ENDPOINTS) await talkers.pods.serve(at);
  return { netns, talkers };
}
