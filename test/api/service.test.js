import t from "tap";
import { readService } from "../../src/api/service.js";
import { fullObject, spoil } from "../support/full-objects.js";
const PLACE = { source: "shop.yaml", document: 2 };
const BEFORE = "shop.yaml: document 2: Service shop/web: ";
/** Path, value there, what the object then says. */
const ACCEPTED = {
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
/** Path, value there, the complaint. */
const REFUSED = {
    "a port in quotes": [["spec", "ports", 0, "port"], "80", 'spec.ports[0].port: must be a number, not "80"'],
    "a port too high": [
        ["spec", "ports", 0, "port"],
        65536,
        "spec.ports[0].port: must be a whole number from 1 to 65535, not 65536",
    ],
    "port nought": [["spec", "ports", 0, "port"], 0, "spec.ports[0].port: must be a whole number from 1 to 65535, not 0"],
    "half a port": [
        ["spec", "ports", 0, "port"],
        80.5,
        "spec.ports[0].port: must be a whole number from 1 to 65535, not 80.5",
    ],
    "no port": [["spec", "ports", 0, "port"], undefined, "spec.ports[0].port: is missing, must be a number"],
    "a negative node port": [
        ["spec", "ports", 0, "nodePort"],
        -1,
        "spec.ports[0].nodePort: must be a whole number from 0 to 65535, not -1",
    ],
    "a health check port too high": [
        ["spec", "healthCheckNodePort"],
        70000,
        "spec.healthCheckNodePort: must be a whole number from 0 to 65535, not 70000",
    ],
    "a protocol in small letters": [
        ["spec", "ports", 0, "protocol"],
        "tcp",
        'spec.ports[0].protocol: must be TCP or UDP or SCTP, not "tcp"',
    ],
    "a port name that is no label": [
        ["spec", "ports", 0, "name"],
        "HTTP",
        'spec.ports[0].name: must be a DNS label, not "HTTP"',
    ],
    "two ports of one name and protocol": [
        ["spec", "ports", 1, "name"],
        "http",
        'spec.ports[1].name: is the second TCP port of the name "http"',
    ],
    "ports that are no list": [["spec", "ports"], { port: 80 }, "spec.ports: must be a list, not an object"],
    "no spec": [["spec"], undefined, "spec: is missing, must be an object"],
    "a type nobody knows": [
        ["spec", "type"],
        "Balanced",
        'spec.type: must be ClusterIP or NodePort or LoadBalancer or ExternalName, not "Balanced"',
    ],
    "a cluster IP that is no address": [
        ["spec", "clusterIP"],
        "10.96.7",
        'spec.clusterIP: must be an IP address or None, not "10.96.7"',
    ],
    "a cluster IP of the wrong family": [
        ["spec", "clusterIPs", 1],
        "10.96.7.3",
        'spec.clusterIPs[1]: must be of the family in spec.ipFamilies[1], IPv6, not "10.96.7.3"',
    ],
    "None beside a cluster IP": [
        ["spec", "clusterIPs", 0],
        "None",
        'spec.clusterIPs[0]: must be an IP address where there are two, not "None"',
    ],
    "a family nobody knows": [["spec", "ipFamilies", 0], "IPv5", 'spec.ipFamilies[0]: must be IPv4 or IPv6, not "IPv5"'],
    "affinity for no time": [
        ["spec", "sessionAffinityConfig", "clientIP", "timeoutSeconds"],
        0,
        "spec.sessionAffinityConfig.clientIP.timeoutSeconds: must be a whole number from 1 to 86400, not 0",
    ],
    "labels that are numbers": [["metadata", "labels", "a b"], 3, 'metadata.labels["a b"]: must be a string, not 3'],
    "labels that are a list": [["metadata", "labels"], ["app"], "metadata.labels: must be an object, not a list"],
};
for (const [name, [path, value, complaint]] of Object.entries(REFUSED)) {
    t.test(`refused: ${name}`, (t) => {
        const reading = readService(spoil(fullObject("Service"), path, value), PLACE);
        t.strictSame(reading.objects, []);
        t.strictSame(reading.problems.map(({ message }) => message), [BEFORE + complaint]);
        t.end();
    });
}
t.test("every fault of an object is told, dropped entries too", (t) => {
    const twoFaults = spoil(spoil(fullObject("Service"), ["spec", "ports", 0, "port"], "80"), ["spec", "type"], "X");
    t.equal(readService(twoFaults, PLACE).problems.length, 2);
    const twins = spoil(spoil(fullObject("Service"), ["spec", "ports", 1, "name"], "http"), ["spec", "externalIPs", 0], "x");
    t.strictSame(readService(twins, PLACE).problems.map(({ place }) => place.field), ["spec.ports[1].name", "spec.externalIPs[0]"]);
    t.end();
});
/** Path, value there, the complaint, what is left. */
const DROPPED = {
    "an external IP": [
        ["spec", "externalIPs", 0],
        "198.51.100",
        'spec.externalIPs[0]: must be an IP address, not "198.51.100"',
        { externalIPs: ["198.51.100.8"] },
    ],
    "a load balancer address": [
        ["status", "loadBalancer", "ingress", 1, "ip"],
        "fe80::1%eth0",
        'status.loadBalancer.ingress[1].ip: must be an IP address, not "fe80::1%eth0"',
        { ingressVIPs: ["203.0.113.10"] },
    ],
    "the only source range, which lets nobody in": [
        ["spec", "loadBalancerSourceRanges", 0],
        "198.18.0.0",
        'spec.loadBalancerSourceRanges[0]: must be a CIDR, not "198.18.0.0"',
        { sourceRanges: [] },
    ],
};
for (const [name, [path, value, complaint, left]] of Object.entries(DROPPED)) {
    t.test(`dropped alone: ${name}`, (t) => {
        const reading = readService(spoil(fullObject("Service"), path, value), PLACE);
        t.strictSame(reading.problems.map(({ message }) => message), [BEFORE + complaint]);
        t.strictSame(reading.objects, [{ ...reading.objects[0], ...left }]);
        t.end();
    });
}
t.test("an object without a usable name is told by its place alone", (t) => {
    const nameless = spoil(fullObject("Service"), ["metadata", "name"], "web\n-A INPUT");
    t.strictSame(readService(nameless, { ...PLACE, field: "items[3]" }).problems.map(({ message }) => message), ['shop.yaml: document 2: items[3].metadata.name: must be a DNS label, not "web\\n-A INPUT"']);
    t.strictSame(readService("text", PLACE).problems.map(({ message }) => message), ['shop.yaml: document 2: must be an object, not "text"']);
    t.end();
});
