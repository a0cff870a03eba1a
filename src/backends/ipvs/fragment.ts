// What does one ServicePort need in the kernel?
import type { ServiceTraffic } from "../../model/traffic.ts";
import { kernelText } from "../../net/address.ts";
import type { Fragment, IpvsShare, Shares } from "../../state/kernel-state.ts";
import type { FillFrom } from "../fill.ts";
import { closedPorts, kubeIpvsOutFilter } from "./chains/kube-ipvs-out-filter.ts";
import { entriesOf } from "./entries.ts";
import type { NodeSide } from "./node-side.ts";
import { setName } from "./sets.ts";
import { serviceAddressesOf, virtualServersOf } from "./virtual-servers.ts";

const NO_SHARES: Shares = new Map();

/** The fragment of one ServicePort; it keeps nothing but what it is made of. It has no chain and no share in one. */
export function fragmentOf(fill: FillFrom, node: NodeSide, traffic: ServiceTraffic): Fragment {
  const { text, protocol } = traffic.servicePort;
  return {
    key: `${text}/${protocol}`,
    size: 0,
    chains: () => [],
    shares: () => NO_SHARES,
    ipvs: () => shareOf(fill, node, traffic),
  };
}

function shareOf(fill: FillFrom, node: NodeSide, traffic: ServiceTraffic): IpvsShare {
  const addresses = serviceAddressesOf(traffic, node);
  const set = setName("IPVS-IPS", node.family);
  const bound = addresses.map((address) => ({ set, entry: kernelText(address), address }));
  const entries = entriesOf(traffic, node).map(({ role, entry }) => ({ set: setName(role, node.family), entry }));
  return {
    entries: [...entries, ...bound],
    servers: virtualServersOf(traffic, node),
    addresses,
    rules: kubeIpvsOutFilter(fill, closedPorts(traffic, node.nodeIP)),
  };
}
