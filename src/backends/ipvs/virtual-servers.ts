// Which virtual servers does one ServicePort have, and which real servers are behind each?
import type { Endpoint } from "../../model/endpoint.ts";
import { endpointsBehind } from "../../model/ipvs-endpoints.ts";
import type { ServiceTraffic } from "../../model/traffic.ts";
import type { RealServer, VirtualServer } from "../../state/virtual-server.ts";
import type { NodeSide } from "./node-side.ts";

/** `mh` hashes the port too; kube-proxy asks no other scheduler for anything. */
const HASH_PORT = 0x10;

/**
 * One virtual server for each address of the ServicePort. One without any endpoint is there too: the kernel itself
 * refuses its connections.
 */
export function virtualServersOf(
  traffic: ServiceTraffic,
  { scheduler, nodePortAddresses }: NodeSide,
): readonly VirtualServer[] {
  const { clusterIP, externalIPs, loadBalancerVIPs, port, nodePort, ...servicePort } = traffic.servicePort;
  const server = (kind: "internal" | "external", address: string, port: number): VirtualServer => ({
    address,
    protocol: servicePort.protocol,
    port,
    scheduler,
    schedulerFlags: scheduler === "mh" ? HASH_PORT : 0,
    persistence: servicePort.affinitySeconds,
    realServers: endpointsBehind(traffic, kind).map(realServerOf),
  });
  const nodes = nodePort === 0 ? [] : nodePortAddresses;
  return [
    server("internal", clusterIP, port),
    ...[...externalIPs, ...loadBalancerVIPs].map((address) => server("external", address, port)),
    ...nodes.map((address) => server("external", address, nodePort)),
  ];
}

/** The addresses that must be on the mode's interface, each once: one of another interface is local already. */
export function serviceAddressesOf({ servicePort }: ServiceTraffic, { nodeAddresses }: NodeSide): readonly string[] {
  const { clusterIP, externalIPs, loadBalancerVIPs } = servicePort;
  const foreign = [...externalIPs, ...loadBalancerVIPs].filter((address) => !nodeAddresses.includes(address));
  return [...new Set([clusterIP, ...foreign])];
}

function realServerOf({ ip, port }: Endpoint): RealServer {
  return { address: ip, port, method: "masquerade", weight: 1 };
}
