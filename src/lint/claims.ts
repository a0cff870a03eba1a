// Which ServicePorts claim which addresses and ports?
import type { LintedCluster, LintedPort, LintedService } from "./cluster.ts";
import { portField } from "./words.ts";

/** One address, or nodePort, of one ServicePort. */
export interface Claim {
  readonly service: LintedService;
  readonly port: LintedPort;
  /** Empty for a nodePort, which is at many addresses. */
  readonly address: string;
  /** What is claimed, such as `10.0.0.1:80/TCP`. */
  readonly text: string;
  /** As what: `cluster IP`, `external IP`, `load balancer address`, `node port`. */
  readonly sort: string;
  readonly field: string;
}

/** All addresses at which ServicePorts answer, in the order of Services. */
export function* addressClaims({ services }: LintedCluster): Generator<Claim> {
  for (const service of services.values()) {
    for (const port of service.ports) yield* claimsOf(service, port);
  }
}

/** Each clash of two ServicePorts, once for both families: the first of them, and the one that comes too late. */
export function* clashesOf(claims: Iterable<Claim>): Generator<readonly [first: Claim, late: Claim]> {
  const firsts = new Map<string, Claim>();
  const told = new Set<string>();
  for (const claim of claims) {
    const place = `${claim.port.family} ${claim.text}`;
    const first = firsts.get(place) ?? claim;
    firsts.set(place, first);
    const clash = `${first.port.traffic.servicePort.text} ${claim.port.traffic.servicePort.text} ${claim.text}`;
    if (first.port === claim.port || told.has(clash)) continue;
    told.add(clash);
    yield [first, claim];
  }
}

function* claimsOf(service: LintedService, port: LintedPort): Generator<Claim> {
  const { clusterIP, externalIPs, loadBalancerVIPs, port: number, protocol } = port.traffic.servicePort;
  const { manifest } = service;
  const claim = (address: string, sort: string, field: string): Claim => {
    return { service, port, address, text: `${bracketed(address)}:${number}/${protocol}`, sort, field };
  };
  yield claim(clusterIP, "cluster IP", clusterIPField(service, clusterIP));
  for (const address of externalIPs) {
    yield claim(address, "external IP", `spec.externalIPs[${manifest.externalIPs.indexOf(address)}]`);
  }
  for (const address of loadBalancerVIPs) {
    const index = manifest.ingress.findIndex((entry) => entry.address === address);
    yield claim(address, "load balancer address", `status.loadBalancer.ingress[${index}].ip`);
  }
}

/** All nodePorts. */
export function* nodePortClaims({ services }: LintedCluster): Generator<Claim> {
  for (const service of services.values()) {
    for (const port of service.ports) {
      const { nodePort, protocol } = port.traffic.servicePort;
      const text = `${nodePort}/${protocol}`;
      if (nodePort !== 0)
        yield { service, port, address: "", text, sort: "node port", field: portField(port, "nodePort") };
    }
  }
}

/** Where the cluster IP of a family is written. */
export function clusterIPField({ service }: LintedService, clusterIP: string): string {
  const index = service.clusterIPs.indexOf(clusterIP);
  return index < 0 ? "spec.clusterIP" : `spec.clusterIPs[${index}]`;
}

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}
