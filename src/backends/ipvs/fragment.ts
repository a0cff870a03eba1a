// What does one ServicePort need in the kernel?
import type { ServiceTraffic } from "../../model/traffic.ts";
import { kernelText } from "../../net/address.ts";
import type { IpvsShare, Shares } from "../../state/kernel-state.ts";
import type { FillFrom } from "../fill.ts";
import type { Writing } from "../fragment.ts";
import { closedPorts, kubeIpvsOutFilter } from "./chains/kube-ipvs-out-filter.ts";
import { entriesOf } from "./entries.ts";
import type { NodeSide } from "./node-side.ts";
import { setName } from "./sets.ts";
import { serviceAddressesOf, virtualServersOf } from "./virtual-servers.ts";

const NO_SHARES: Shares = new Map();

/** How IPVS mode has it: without a chain of its own, and without a share in one. */
export function writingOf(fill: FillFrom, node: NodeSide): Writing {
  return {
    sizeOf: () => 0,
    chainsOf: () => [],
    sharesOf: () => NO_SHARES,
    ipvsOf: (traffic) => shareOf(fill, node, traffic),
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
