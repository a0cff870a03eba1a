// How does a test see that the kernel holds all rules of the newest manifests?

/**
 * A Service beside those of a cluster, only there to be seen: each table of each family is changed as a whole, so when
 * its rule is in a table, all others are. `turn` makes it another Service each time.
 */
export function markerManifests(turn: number): string {
  const [v4, v6] = [`10.96.255.${turn % 250}`, `fd00:96::ff:${turn % 250}`];
  return `---
apiVersion: v1
kind: Service
metadata:
  namespace: marker
  name: turn-${turn}
spec:
  type: ClusterIP
  ipFamilyPolicy: RequireDualStack
  ipFamilies: [IPv4, IPv6]
  clusterIP: ${v4}
  clusterIPs: [${v4}, "${v6}"]
  ports:
  - {name: nat, protocol: TCP, port: 1}
  - {name: filter, protocol: TCP, port: 2}
${slice(turn, "IPv4", "10.244.255.1")}${slice(turn, "IPv6", "fd00:244:0:ff::1")}`;
}

/** Does what `iptables-save` printed hold this turn's marker, in the nat and in the filter table? */
export function holdsMarker(saved: string, turn: number): boolean {
  const words = [`"marker/turn-${turn}:nat cluster IP"`, `"marker/turn-${turn}:filter has no endpoints"`];
  return words.every((word) => saved.includes(word));
}

/** In IPVS mode: does what `ipvsadm -Sn` printed hold this turn's marker in both families, and that of no turn before? */
export function holdsMarkerServers(saved: string, turn: number): boolean {
  const found = [...saved.matchAll(/^-A -t (10\.96\.255\.\d+|\[fd00:96::ff:\w+\]):1 /gm)].map(([, address]) => address);
  return found.sort().join(" ") === `10.96.255.${turn % 250} [fd00:96::ff:${turn % 250}]`;
}

function slice(turn: number, family: string, address: string): string {
  return `---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  namespace: marker
  name: turn-${turn}-${family.toLowerCase()}
  labels: {kubernetes.io/service-name: turn-${turn}}
addressType: ${family}
ports:
- {name: nat, protocol: TCP, port: 1}
endpoints:
- addresses: ["${address}"]
  nodeName: nobody
`;
}
