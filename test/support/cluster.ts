// What of a cluster in `fixtures/clusters` must be there as real addresses and servers?
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { type PacketCase, readCases } from "./packet-case.ts";

/** One address and port behind a Service. */
export interface ClusterEndpoint {
  readonly protocol: "tcp" | "udp" | "sctp";
  readonly address: string;
  readonly port: number;
  /** Is it on this node? */
  readonly local: boolean;
}

/** One port of a Service, as far as a packet can tell. */
export interface ClusterPort {
  readonly protocol: string;
  readonly addresses: readonly string[];
  readonly port: number;
  readonly nodePort: number;
  readonly affinity: boolean;
}

export interface Cluster {
  readonly name: string;
  readonly folder: string;
  readonly nodeName: string;
  /** Of all interfaces, loopback aside. */
  readonly nodeAddresses: readonly string[];
  readonly endpoints: readonly ClusterEndpoint[];
  readonly ports: readonly ClusterPort[];
  /** The node's interface behind which its pods are: what the configuration calls the bridge or the name's prefix. */
  readonly podInterface: string;
  /** Configuration and Node, as text: clusters that agree in it can follow one another under one node proxy. */
  readonly settings: string;
  readonly cases: readonly PacketCase[];
}

const Node = z.object({
  kind: z.literal("Node"),
  metadata: z.object({ name: z.string() }),
  status: z.object({ addresses: z.array(z.object({ type: z.string(), address: z.string() })) }),
});

const Service = z.object({
  kind: z.literal("Service"),
  spec: z.object({
    clusterIP: z.string().default(""),
    clusterIPs: z.array(z.string()).default([]),
    externalIPs: z.array(z.string()).default([]),
    sessionAffinity: z.string().default("None"),
    ports: z.array(
      z.object({ protocol: z.string().default("TCP"), port: z.number(), nodePort: z.number().default(0) }),
    ),
  }),
  status: z
    .object({
      loadBalancer: z.object({ ingress: z.array(z.object({ ip: z.string().optional() })).default([]) }).optional(),
    })
    .optional(),
});

const Slice = z.object({
  kind: z.literal("EndpointSlice"),
  ports: z.array(z.object({ protocol: z.string().default("TCP"), port: z.number() })).default([]),
  endpoints: z.array(z.object({ addresses: z.array(z.string()), nodeName: z.string().default("") })).default([]),
});

const Config = z.object({
  detectLocal: z
    .object({ bridgeInterface: z.string().default(""), interfaceNamePrefix: z.string().default("") })
    .default({ bridgeInterface: "", interfaceNamePrefix: "" }),
});

const Facts = z.object({ addresses: z.array(z.object({ address: z.string() })).default([]) });

const CLUSTERS = fileURLToPath(new URL("../../fixtures/clusters", import.meta.url));

/** Names of all clusters that say what becomes of packets. */
export function clusterNames(): readonly string[] {
  return readdirSync(CLUSTERS)
    .filter((name) => existsSync(join(CLUSTERS, name, "packets.yaml")))
    .sort();
}

/** Reads a cluster by its folder's name; throws where the folder is not what `fixtures/README.md` says. */
export function readCluster(name: string): Cluster {
  const folder = join(CLUSTERS, name);
  const documents = parseAllDocuments(read(folder, "cluster.yaml")).map((document): unknown => document.toJS());
  const found = documents.find((document) => Node.safeParse(document).success);
  const node = Node.parse(found);
  const config: unknown = parse(read(folder, "config.yaml"));
  const facts = Facts.parse(parse(read(folder, "node-facts.yaml")) ?? {});
  const own = [...node.status.addresses, ...facts.addresses].map(({ address }) => address);
  return {
    name,
    folder,
    nodeName: node.metadata.name,
    nodeAddresses: [...new Set(own)].filter((address) => !/^(127\.|::1$)/.test(address) && /[.:]/.test(address)),
    endpoints: documents.flatMap((document) => endpointsOf(document, node.metadata.name)),
    ports: documents.flatMap(portsOf),
    podInterface: podInterface(config),
    settings: JSON.stringify([config, found]),
    cases: readCases(read(folder, "packets.yaml")),
  };
}

function read(folder: string, file: string): string {
  const path = join(folder, file);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function endpointsOf(document: unknown, nodeName: string): ClusterEndpoint[] {
  const slice = Slice.safeParse(document).data;
  if (!slice) return [];
  return slice.endpoints.flatMap(({ addresses: [address = ""], nodeName: where }) =>
    slice.ports.map(({ protocol, port }) => ({ protocol: lower(protocol), address, port, local: where === nodeName })),
  );
}

function portsOf(document: unknown): ClusterPort[] {
  const service = Service.safeParse(document).data;
  if (!service) return [];
  const { clusterIP, clusterIPs, externalIPs, sessionAffinity, ports } = service.spec;
  const ingress = service.status?.loadBalancer?.ingress.flatMap(({ ip }) => (ip === undefined ? [] : [ip])) ?? [];
  const addresses = [...new Set([clusterIP, ...clusterIPs, ...externalIPs, ...ingress])];
  return ports.map(({ protocol, port, nodePort }) => ({
    protocol: lower(protocol),
    addresses: addresses.filter((address) => /[.:]/.test(address)),
    port,
    nodePort,
    affinity: sessionAffinity === "ClientIP",
  }));
}

function podInterface(config: unknown): string {
  const { bridgeInterface, interfaceNamePrefix } = Config.parse(config ?? {}).detectLocal;
  if (bridgeInterface !== "") return bridgeInterface;
  return interfaceNamePrefix === "" ? "cni0" : `${interfaceNamePrefix}0`;
}

function lower(protocol: string): "tcp" | "udp" | "sctp" {
  const name = protocol.toLowerCase();
  return name === "udp" || name === "sctp" ? name : "tcp";
}
