// The measured cluster: plain Services of type ClusterIP with one port, as large as asked.

/** How large the cluster is. */
export interface Size {
  readonly services: number;
  /** Of each Service. */
  readonly endpoints: number;
}

/** An object as the API server would print it. */
export interface Manifest {
  readonly [field: string]: unknown;
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly endpoints?: readonly Readonly<Record<string, unknown>>[];
}

/** All pods that are there from the beginning are in here. */
export const POD_RANGE = "10.128.0.0/9";

/** All cluster IPs are in here. */
export const SERVICE_RANGE = "10.96.0.0/11";

/** Where one can connect to. */
export interface Place {
  readonly address: string;
  readonly port: number;
}

/** Prime, so that it leaves out nobody unless their number is a multiple of it. */
const STRIDE = 37;

/** The two that a node serves before all others. */
const URGENT = [
  { namespace: "default", name: "kubernetes" },
  { namespace: "kube-system", name: "kube-dns" },
];

/** The objects of the Service with this number. After change n its first endpoint is another than after any other. */
export function manifestsOf(service: number, { endpoints }: Size, change = 0): readonly Manifest[] {
  return [serviceManifest(service), sliceManifest(service, endpoints, change)];
}

/** Every object of the cluster. */
export function allManifests(size: Size): readonly Manifest[] {
  return Array.from({ length: size.services }, (_, service) => manifestsOf(service, size)).flat();
}

/** Which Service the n-th change is about: another one each time, and no neighbours, until all had their turn. */
export function changedService({ services }: Size, change: number): number {
  return ((services >> 1) + change * STRIDE) % services;
}

/** All objects as so many changes left them. */
export function manifestsAfter(size: Size, changes: number): readonly Manifest[] {
  const latest = new Map<number, number>();
  for (let change = 1; change <= changes; change++) latest.set(changedService(size, change), change);
  const services = Array.from({ length: size.services }, (_, service) => service);
  return services.flatMap((service) => manifestsOf(service, size, latest.get(service)));
}

/** Where the Service with this number is found. */
export function serviceOf(service: number): Place {
  return { address: addressOf(96, service + 1), port: 80 };
}

/** Where the n-th endpoint of all listens, from 1. */
export function podOf(n: number): Place {
  return { address: addressOf(128, n), port: 8080 };
}

function serviceManifest(service: number): Manifest {
  const { address: clusterIP, port } = serviceOf(service);
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: nameOf(service),
    spec: {
      type: "ClusterIP",
      selector: { app: "bench" },
      ipFamilies: ["IPv4"],
      clusterIP,
      clusterIPs: [clusterIP],
      ports: [{ name: "http", port, protocol: "TCP", targetPort: 8080 }],
    },
  };
}

function sliceManifest(service: number, endpoints: number, change: number): Manifest {
  const { namespace, name } = nameOf(service);
  const labels = { "kubernetes.io/service-name": name };
  const addresses = Array.from({ length: endpoints }, (_, at) => podOf(service * endpoints + at + 1).address);
  if (change > 0 && endpoints > 0) addresses[0] = addressOf(64, change);
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace, name: `${name}-1`, labels },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  };
}

function nameOf(service: number): { readonly namespace: string; readonly name: string } {
  return URGENT[service] ?? { namespace: "bench", name: `service-${String(service).padStart(6, "0")}` };
}

/** The n-th address behind 10.START.0.0. */
function addressOf(start: number, n: number): string {
  return `10.${start + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`;
}
