// What does one ServicePort put into the sets?
import type { Endpoint } from "../../model/endpoint.ts";
import type { ServicePort } from "../../model/service-port.ts";
import type { ServiceTraffic } from "../../model/traffic.ts";
import { PROTOCOL_NUMBERS } from "../../net/protocol.ts";
import { type EntryParts, printEntry } from "../../state/set-entry.ts";
import type { NodeSide } from "./node-side.ts";
import type { SetRole } from "./sets.ts";
import { admitsNode } from "./source-ranges.ts";

export interface RoleEntry {
  readonly role: SetRole;
  /** As `ipset save` prints it. */
  readonly entry: string;
}

/** The sets of nodePorts: one for all, and one for those under the Local policy, which are in both. */
const NODE_PORTS = {
  TCP: ["NODE-PORT-TCP", "NODE-PORT-LOCAL-TCP"],
  UDP: ["NODE-PORT-UDP", "NODE-PORT-LOCAL-UDP"],
  SCTP: ["NODE-PORT-SCTP-HASH", "NODE-PORT-LOCAL-SCTP-HASH"],
} as const;

/** The entries of a ServicePort, as kube-proxy's IPVS mode makes them, but for the addresses on the mode's interface. */
export function entriesOf(
  { servicePort, onNode = [] }: ServiceTraffic,
  node: Pick<NodeSide, "nodeIP" | "nodePortAddresses">,
): readonly RoleEntry[] {
  return [
    ...onNode.map((endpoint) => hairpin(endpoint, servicePort)),
    { role: "CLUSTER-IP", entry: addressed(placeOf(servicePort, servicePort.clusterIP)) },
    ...externalIPs(servicePort),
    ...servicePort.loadBalancerVIPs.flatMap((vip) => loadBalancer(servicePort, vip, node.nodeIP)),
    ...nodePorts(servicePort, node.nodePortAddresses),
  ];
}

/** An endpoint that calls its own Service must see another source; whether it is ready does not matter for that. */
function hairpin({ ip, port }: Endpoint, servicePort: ServicePort): RoleEntry {
  const parts = { ...placeOf(servicePort, ip), port, second: ip };
  return { role: "LOOP-BACK", entry: printEntry("hash:ip,port,ip", parts) };
}

function externalIPs(servicePort: ServicePort): readonly RoleEntry[] {
  const role = servicePort.externalPolicyLocal ? "EXTERNAL-IP-LOCAL" : "EXTERNAL-IP";
  return servicePort.externalIPs.map((address) => ({ role, entry: addressed(placeOf(servicePort, address)) }));
}

function loadBalancer(servicePort: ServicePort, vip: string, nodeIP: string): readonly RoleEntry[] {
  const place = placeOf(servicePort, vip);
  const entry = addressed(place);
  const entries: RoleEntry[] = [{ role: "LOAD-BALANCER", entry }];
  if (servicePort.externalPolicyLocal) entries.push({ role: "LOAD-BALANCER-LOCAL", entry });
  if (servicePort.sourceRanges === "everyone") return entries;
  // Without a single range nobody may come: the set of VIPs with a firewall is all that is needed for it.
  entries.push({ role: "LOAD-BALANCER-FW", entry }, ...servicePort.sourceRanges.map((range) => source(place, range)));
  // What the node itself sends to a VIP has that VIP as its source.
  const own = printEntry("hash:ip,port,ip", { ...place, second: vip });
  if (admitsNode(servicePort, nodeIP)) entries.push({ role: "LOAD-BALANCER-SOURCE-IP", entry: own });
  return entries;
}

function source(place: EntryParts, range: string): RoleEntry {
  const slash = range.indexOf("/");
  const network = { second: range.slice(0, slash), prefix: Number(range.slice(slash + 1)) };
  return { role: "LOAD-BALANCER-SOURCE-CIDR", entry: printEntry("hash:ip,port,net", { ...place, ...network }) };
}

/** Without an address that answers, the health check port of the same ServicePort stays closed too, as in kube-proxy. */
function nodePorts(servicePort: ServicePort, addresses: readonly string[]): readonly RoleEntry[] {
  const { nodePort, protocol, externalPolicyLocal, healthCheckNodePort } = servicePort;
  if (nodePort !== 0 && addresses.length === 0) return [];
  const [all, local] = NODE_PORTS[protocol];
  const entries: RoleEntry[] = [];
  for (const entry of nodePortTexts(servicePort, addresses)) {
    entries.push({ role: all, entry });
    if (externalPolicyLocal) entries.push({ role: local, entry });
  }
  if (healthCheckNodePort !== 0) entries.push({ role: "HEALTH-CHECK-NODE-PORT", entry: String(healthCheckNodePort) });
  return entries;
}

/** A set of bare ports has no protocol, and there is none for SCTP. */
function nodePortTexts(servicePort: ServicePort, addresses: readonly string[]): readonly string[] {
  const { nodePort: port, protocol } = servicePort;
  if (port === 0) return [];
  if (protocol !== "SCTP") return [String(port)];
  return addresses.map((address) => addressed({ ...placeOf(servicePort, address), port }));
}

function addressed(place: EntryParts): string {
  return printEntry("hash:ip,port", place);
}

function placeOf({ protocol, port }: ServicePort, address: string): EntryParts {
  return { address, protocol: PROTOCOL_NUMBERS[protocol], port };
}
