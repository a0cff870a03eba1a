// What of a cluster in `fixtures/clusters` must be there as real addresses and servers?
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { z } from "zod";
import { readCases } from "./packet-case.js";
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
        ports: z.array(z.object({ protocol: z.string().default("TCP"), port: z.number(), nodePort: z.number().default(0) })),
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
export function clusterNames() {
    return readdirSync(CLUSTERS)
        .filter((name) => existsSync(join(CLUSTERS, name, "packets.yaml")))
        .sort();
}
/** Reads a cluster by its folder's name; throws where the folder is not what `fixtures/README.md` says. */
export function readCluster(name) {
    const folder = join(CLUSTERS, name);
    const documents = parseAllDocuments(read(folder, "cluster.yaml")).map((document) => document.toJS());
    const node = Node.parse(documents.find((document) => Node.safeParse(document).success));
    const facts = Facts.parse(parse(read(folder, "node-facts.yaml")) ?? {});
    const own = [...node.status.addresses, ...facts.addresses].map(({ address }) => address);
    return {
        name,
        folder,
        nodeName: node.metadata.name,
        nodeAddresses: [...new Set(own)].filter((address) => !/^(127\.|::1$)/.test(address) && /[.:]/.test(address)),
        endpoints: documents.flatMap((document) => endpointsOf(document, node.metadata.name)),
        ports: documents.flatMap(portsOf),
        podInterface: podInterface(parse(read(folder, "config.yaml"))),
        cases: readCases(read(folder, "packets.yaml")),
    };
}
function read(folder, file) {
    const path = join(folder, file);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
}
function endpointsOf(document, nodeName) {
    const slice = Slice.safeParse(document).data;
    if (!slice)
        return [];
    return slice.endpoints.flatMap(({ addresses: [address = ""], nodeName: where }) => slice.ports.map(({ protocol, port }) => ({ protocol: lower(protocol), address, port, local: where === nodeName })));
}
function portsOf(document) {
    const service = Service.safeParse(document).data;
    if (!service)
        return [];
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
function podInterface(config) {
    const { bridgeInterface, interfaceNamePrefix } = Config.parse(config ?? {}).detectLocal;
    if (bridgeInterface !== "")
        return bridgeInterface;
    return interfaceNamePrefix === "" ? "cni0" : `${interfaceNamePrefix}0`;
}
function lower(protocol) {
    const name = protocol.toLowerCase();
    return name === "udp" || name === "sctp" ? name : "tcp";
}
