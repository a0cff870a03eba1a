import t from "tap";
import type { Service } from "../../src/api/objects.ts";
import { readService } from "../../src/api/service.ts";
import { fullObject, type Path, spoil } from "../support/full-objects.ts";

const PLACE = { source: "shop.yaml", document: 2 };
const BEFORE = "shop.yaml: document 2: Service shop/web: ";

/** Path, value there, what the object then says. */
const ACCEPTED: Readonly<Record<string, readonly [Path, unknown, Partial<Service>]>> = {
  "no namespace is the default one": [["metadata", "namespace"], undefined, { namespace: "default" }],
  "an empty namespace is the default one": [["metadata", "namespace"], "", { namespace: "default" }],
  "no type is ClusterIP": [["spec", "type"], null, { type: "ClusterIP" }],
  "the label of another proxy counts whatever it holds": [
    ["metadata", "labels", "service.kubernetes.io/service-proxy-name"],
    null,
    { foreignProxy: true },
  ],
  "no cluster IP": [["spec", "clusterIP"], undefined, { clusterIP: "" }],
  "a headless Service": [["spec", "clusterIP"], "None", { clusterIP: "None" }],
  "None among the cluster IPs is none": [["spec", "clusterIPs"], ["None"], { clusterIPs: [] }],
  "an old cluster IP with leading zeros": [["spec", "clusterIP"], "010.096.007.002", { clusterIP: "10.96.7.2" }],
  "cluster IPs without families are as written": [["spec", "ipFamilies"], null, { ipFamilies: [] }],
  "no selector": [["spec", "selector"], null, { hasSelector: false }],
  "an empty selector is none": [["spec", "selector"], {}, { hasSelector: false }],
  "no ports": [["spec", "ports"], null, { ports: [] }],
  "ports of one number and two protocols, unnamed": [
    ["spec", "ports"],
    [{ port: 53 }, { port: 53, protocol: "UDP", nodePort: null, name: null }],
    {
      ports: [
        { name: "", protocol: "TCP", port: 53, nodePort: 0 },
        { name: "", protocol: "UDP", port: 53, nodePort: 0 },
      ],
    },
  ],
  "no affinity leaves no seconds, whatever its configuration": [
    ["spec", "sessionAffinity"],
    "None",
    { affinitySeconds: 0 },
  ],
  "affinity without seconds lasts three hours": [
    ["spec", "sessionAffinityConfig"],
    undefined,
    { affinitySeconds: 10800 },
  ],
  "affinity as told": [
    ["spec", "sessionAffinityConfig", "clientIP", "timeoutSeconds"],
    86400,
    { affinitySeconds: 86400 },
  ],
  "no policies are Cluster": [["spec", "externalTrafficPolicy"], "", { externalTrafficPolicy: "Cluster" }],
  "no inner policy is Cluster": [["spec", "internalTrafficPolicy"], null, { internalTrafficPolicy: "Cluster" }],
  "no health check port": [["spec", "healthCheckNodePort"], null, { healthCheckNodePort: 0 }],
  "no source ranges let everyone in": [["spec", "loadBalancerSourceRanges"], [], { sourceRanges: "everyone" }],
  "source ranges with blanks and host bits": [
    ["spec", "loadBalancerSourceRanges"],
    [" 10.1.2.3/8 ", "FD00::1/8"],
    { sourceRanges: ["10.0.0.0/8", "fd00::/8"] },
  ],
  "a blank external IP goes silently": [["spec", "externalIPs", 0], "  ", { externalIPs: ["198.51.100.8"] }],
  "a load balancer with a host name only": [
    ["status", "loadBalancer", "ingress", 0],
    { hostname: "lb.example.com" },
    { ingressVIPs: ["2001:db8:ff::1"] },
  ],
  "a load balancer that answers for itself": [
    ["status", "loadBalancer", "ingress", 0, "ipMode"],
    "Proxy",
    { ingressVIPs: ["2001:db8:ff::1"] },
  ],
  "no mode is VIP": [
    ["status", "loadBalancer", "ingress", 0, "ipMode"],
    null,
    { ingressVIPs: ["203.0.113.10", "2001:db8:ff::1"] },
  ],
  "no status": [["status"], undefined, { ingressVIPs: [] }],
  "a name that begins with a digit": [["metadata", "name"], "0-shop", { name: "0-shop" }],
  "fields nobody knows": [["spec", "fromTheFuture"], { a: [1] }, { name: "web" }],
};

for (const [name, [path, value, wanted]] of Object.entries(ACCEPTED)) {
  t.test(name, (t) => {
    const reading = readService(spoil(fullObject("Service"), path, value), PLACE);
    t.strictSame(reading.problems, []);
    t.strictSame(reading.objects, [{ ...reading.objects[0], ...wanted }]);
    t.end();
  });
}

const PORTS: Service["ports"] = [
  { name: "http", protocol: "TCP", port: 80, nodePort: 31080 },
  { name: "https", protocol: "TCP", port: 443, nodePort: 31443 },
];

/** Path, value there, the complaint, what differs from the full Service. */
const COSTS: Readonly<Record<string, readonly [Path, unknown, string, Partial<Service>]>> = {
  "a port in quotes": [
    ["spec", "ports", 0, "port"],
    "80",
    'spec.ports[0].port: must be a number, not "80"',
    { ports: PORTS.slice(1) },
  ],
  "a port too high": [
    ["spec", "ports", 0, "port"],
    65536,
    "spec.ports[0].port: must be a whole number from 1 to 65535, not 65536",
    { ports: PORTS.slice(1) },
  ],
  "port nought": [
    ["spec", "ports", 0, "port"],
    0,
    "spec.ports[0].port: must be a whole number from 1 to 65535, not 0",
    { ports: PORTS.slice(1) },
  ],
  "half a port": [
    ["spec", "ports", 0, "port"],
    80.5,
    "spec.ports[0].port: must be a whole number from 1 to 65535, not 80.5",
    { ports: PORTS.slice(1) },
  ],
  "no port": [
    ["spec", "ports", 0, "port"],
    undefined,
    "spec.ports[0].port: is missing, must be a number",
    { ports: PORTS.slice(1) },
  ],
  "port null": [
    ["spec", "ports", 0, "port"],
    null,
    "spec.ports[0].port: must be a number, not null",
    { ports: PORTS.slice(1) },
  ],
  "a port that is no object": [
    ["spec", "ports", 0],
    80,
    "spec.ports[0]: must be an object, not 80",
    { ports: PORTS.slice(1) },
  ],
  "a protocol in small letters": [
    ["spec", "ports", 0, "protocol"],
    "tcp",
    'spec.ports[0].protocol: must be TCP or UDP or SCTP, not "tcp"',
    { ports: PORTS.slice(1) },
  ],
  "a protocol of a newer API server": [
    ["spec", "ports", 1, "protocol"],
    "QUIC",
    'spec.ports[1].protocol: must be TCP or UDP or SCTP, not "QUIC"',
    { ports: PORTS.slice(0, 1) },
  ],
  "a protocol that is a number": [
    ["spec", "ports", 1, "protocol"],
    17,
    "spec.ports[1].protocol: must be a string, not 17",
    { ports: PORTS.slice(0, 1) },
  ],
  "a port name that is no label": [
    ["spec", "ports", 0, "name"],
    "HTTP",
    'spec.ports[0].name: must be a DNS label, not "HTTP"',
    { ports: PORTS.slice(1) },
  ],
  "the first of two ports of one name and protocol": [
    ["spec", "ports", 1],
    { name: "http", port: 81 },
    'spec.ports[1].name: is the second TCP port of the name "http"',
    { ports: [{ name: "http", protocol: "TCP", port: 81, nodePort: 0 }] },
  ],
  "a negative node port": [
    ["spec", "ports", 0, "nodePort"],
    -1,
    "spec.ports[0].nodePort: must be a whole number from 0 to 65535, not -1",
    { ports: [{ name: "http", protocol: "TCP", port: 80, nodePort: 0 }, ...PORTS.slice(1)] },
  ],
  "a health check port too high": [
    ["spec", "healthCheckNodePort"],
    70000,
    "spec.healthCheckNodePort: must be a whole number from 0 to 65535, not 70000",
    { healthCheckNodePort: 0 },
  ],
  "a type of a newer API server": [
    ["spec", "type"],
    "Balanced",
    'spec.type: must be ClusterIP or NodePort or LoadBalancer or ExternalName, not "Balanced"',
    { type: "Unknown" },
  ],
  "an affinity of a newer API server, which is none": [
    ["spec", "sessionAffinity"],
    "Cookie",
    'spec.sessionAffinity: must be None or ClientIP, not "Cookie"',
    { affinitySeconds: 0 },
  ],
  "affinity for no time": [
    ["spec", "sessionAffinityConfig", "clientIP", "timeoutSeconds"],
    0,
    "spec.sessionAffinityConfig.clientIP.timeoutSeconds: must be a whole number from 1 to 86400, not 0",
    { affinitySeconds: 10800 },
  ],
  "a configuration of affinity that is no object": [
    ["spec", "sessionAffinityConfig"],
    ["clientIP"],
    "spec.sessionAffinityConfig: must be an object, not a list",
    { affinitySeconds: 10800 },
  ],
  "an external policy of a newer API server, which is Cluster": [
    ["spec", "externalTrafficPolicy"],
    "PreferLocal",
    'spec.externalTrafficPolicy: must be Cluster or Local, not "PreferLocal"',
    { externalTrafficPolicy: "Cluster" },
  ],
  "an internal policy of a newer API server, which is Cluster": [
    ["spec", "internalTrafficPolicy"],
    "PreferLocal",
    'spec.internalTrafficPolicy: must be Cluster or Local, not "PreferLocal"',
    { internalTrafficPolicy: "Cluster" },
  ],
  "a selector that is no object": [
    ["spec", "selector"],
    "app",
    'spec.selector: must be an object, not "app"',
    { hasSelector: false },
  ],
  "a cluster IP that is no address, beside one in the list": [
    ["spec", "clusterIP"],
    "10.96.7",
    'spec.clusterIP: must be an IP address or None, not "10.96.7"',
    { clusterIP: "10.96.7.2" },
  ],
  "the first cluster IP of the list, which stands alone too": [
    ["spec", "clusterIPs", 0],
    "10.96.7",
    'spec.clusterIPs[0]: must be an IP address or None, not "10.96.7"',
    {},
  ],
  "cluster IPs that are no list": [
    ["spec", "clusterIPs"],
    "10.96.7.2",
    'spec.clusterIPs: must be a list, not "10.96.7.2"',
    { clusterIPs: ["10.96.7.2"] },
  ],
  "a cluster IP of the wrong family": [
    ["spec", "clusterIPs", 1],
    "10.96.7.3",
    'spec.clusterIPs[1]: must be of the family in spec.ipFamilies[1], IPv6, not "10.96.7.3"',
    { clusterIPs: ["10.96.7.2"], ipFamilies: ["IPv4"] },
  ],
  "a cluster IP that is a number": [
    ["spec", "clusterIPs", 1],
    6,
    "spec.clusterIPs[1]: must be a string, not 6",
    { clusterIPs: ["10.96.7.2"], ipFamilies: ["IPv4"] },
  ],
  "None beside a cluster IP": [
    ["spec", "clusterIPs", 1],
    "None",
    'spec.clusterIPs[1]: must be an IP address where there are two, not "None"',
    { clusterIPs: ["10.96.7.2"], ipFamilies: ["IPv4"] },
  ],
  "a family of a newer API server, with the address at its position": [
    ["spec", "ipFamilies", 0],
    "IPv5",
    'spec.ipFamilies[0]: must be IPv4 or IPv6, not "IPv5"',
    { clusterIPs: ["fd00:96::2"], ipFamilies: ["IPv6"] },
  ],
  "families that are no list": [
    ["spec", "ipFamilies"],
    "IPv4",
    'spec.ipFamilies: must be a list, not "IPv4"',
    { ipFamilies: [] },
  ],
  "labels that are numbers": [["metadata", "labels", "a b"], 3, 'metadata.labels["a b"]: must be a string, not 3', {}],
  "labels that are a list": [["metadata", "labels"], ["app"], "metadata.labels: must be an object, not a list", {}],
  "an external IP": [
    ["spec", "externalIPs", 0],
    "198.51.100",
    'spec.externalIPs[0]: must be an IP address, not "198.51.100"',
    { externalIPs: ["198.51.100.8"] },
  ],
  "an external IP that is null": [
    ["spec", "externalIPs", 0],
    null,
    "spec.externalIPs[0]: must be a string, not null",
    { externalIPs: ["198.51.100.8"] },
  ],
  "external IPs that are no list": [
    ["spec", "externalIPs"],
    "198.51.100.8",
    'spec.externalIPs: must be a list, not "198.51.100.8"',
    { externalIPs: [] },
  ],
  "a load balancer address": [
    ["status", "loadBalancer", "ingress", 1, "ip"],
    "fe80::1%eth0",
    'status.loadBalancer.ingress[1].ip: must be an IP address, not "fe80::1%eth0"',
    { ingressVIPs: ["203.0.113.10"] },
  ],
  "a load balancer address with a mode of a newer API server": [
    ["status", "loadBalancer", "ingress", 1, "ipMode"],
    "Tunnel",
    'status.loadBalancer.ingress[1].ipMode: must be VIP or Proxy, not "Tunnel"',
    { ingressVIPs: ["203.0.113.10"] },
  ],
  "a load balancer entry that is null": [
    ["status", "loadBalancer", "ingress", 0],
    null,
    "status.loadBalancer.ingress[0]: must be an object, not null",
    { ingressVIPs: ["2001:db8:ff::1"] },
  ],
  "a status that is no object": [["status"], "fine", 'status: must be an object, not "fine"', { ingressVIPs: [] }],
  "the only source range, which lets nobody in": [
    ["spec", "loadBalancerSourceRanges"],
    ["198.18.0.0"],
    'spec.loadBalancerSourceRanges[0]: must be a CIDR, not "198.18.0.0"',
    { sourceRanges: [] },
  ],
  "source ranges that are not a list, which admit no client": [
    ["spec", "loadBalancerSourceRanges"],
    "198.18.0.0/15",
    'spec.loadBalancerSourceRanges: must be a list, not "198.18.0.0/15"',
    { sourceRanges: [] },
  ],
};

for (const [name, [path, value, complaint, difference]] of Object.entries(COSTS)) {
  t.test(`costs no more than itself: ${name}`, (t) => {
    const full = fullObject("Service");
    const reading = readService(spoil(full, path, value), PLACE);
    t.strictSame(
      reading.problems.map(({ message }) => message),
      [BEFORE + complaint],
    );
    t.strictSame(reading.objects, [{ ...readService(full, PLACE).objects[0], ...difference }]);
    t.end();
  });
}

/** Path, value there, the complaints. */
const UNREADABLE: Readonly<Record<string, readonly [Path, unknown, readonly string[]]>> = {
  "no spec": [["spec"], undefined, ["spec: is missing, must be an object"]],
  "a spec that is a list": [["spec"], [], ["spec: must be an object, not a list"]],
  "ports that are no list": [["spec", "ports"], { port: 80 }, ["spec.ports: must be a list, not an object"]],
  "not one port that can be read": [
    ["spec", "ports"],
    [{ port: "http" }, { port: 80, protocol: "QUIC" }],
    [
      'spec.ports[0].port: must be a number, not "http"',
      'spec.ports[1].protocol: must be TCP or UDP or SCTP, not "QUIC"',
    ],
  ],
  "a namespace that is no label": [
    ["metadata", "namespace"],
    "a/b",
    ['metadata.namespace: must be a DNS label, not "a/b"'],
  ],
  "only families that are not known": [
    ["spec", "ipFamilies"],
    ["IPv5", "IPv7"],
    ['spec.ipFamilies[0]: must be IPv4 or IPv6, not "IPv5"', 'spec.ipFamilies[1]: must be IPv4 or IPv6, not "IPv7"'],
  ],
};

for (const [name, [path, value, complaints]] of Object.entries(UNREADABLE)) {
  t.test(`unreadable: a Service with ${name}`, (t) => {
    const reading = readService(spoil(fullObject("Service"), path, value), PLACE);
    t.strictSame(reading.objects, []);
    const before = path[1] === "namespace" ? "shop.yaml: document 2: " : BEFORE;
    t.strictSame(
      reading.problems.map(({ message }) => message),
      complaints.map((complaint) => before + complaint),
    );
    t.end();
  });
}

t.test("unreadable: a Service without any usable cluster IP", (t) => {
  const spoilt = spoil(spoil(fullObject("Service"), ["spec", "clusterIPs"], [4, "x"]), ["spec", "clusterIP"], "x");
  t.strictSame(readService(spoilt, PLACE).objects, []);
  t.equal(readService(spoilt, PLACE).problems.length, 3);
  t.end();
});

t.test("a headless Service is one whatever its families", (t) => {
  const headless = spoil(spoil(fullObject("Service"), ["spec", "clusterIPs"], ["None"]), ["spec", "clusterIP"], "None");
  const [service] = readService(spoil(headless, ["spec", "ipFamilies"], ["IPv5"]), PLACE).objects;
  t.equal(service?.clusterIP, "None");
  t.end();
});

t.test("every problem of an object is reported", (t) => {
  const twoFaults = spoil(spoil(fullObject("Service"), ["spec", "ports", 0, "port"], "80"), ["spec", "type"], "X");
  t.equal(readService(twoFaults, PLACE).problems.length, 2);
  const nameless = spoil(twoFaults, ["metadata", "name"], "WEB");
  t.equal(readService(nameless, PLACE).problems.length, 3);
  t.end();
});

t.test("an object without a usable name is told by its place alone", (t) => {
  const nameless = spoil(fullObject("Service"), ["metadata", "name"], "web\n-A INPUT");
  t.strictSame(
    readService(nameless, { ...PLACE, field: "items[3]" }).problems.map(({ message }) => message),
    ['shop.yaml: document 2: items[3].metadata.name: must be a DNS label, not "web\\n-A INPUT"'],
  );
  t.strictSame(
    readService("text", PLACE).problems.map(({ message }) => message),
    ['shop.yaml: document 2: must be an object, not "text"'],
  );
  t.end();
});
