// Who serves the addresses of a Service in IPVS mode, for each mix of policies and endpoints?
import t from "tap";
import type { Service } from "../../src/api/objects.ts";
import { endpointsBehind } from "../../src/model/ipvs-endpoints.ts";
import { knownServiceOf } from "../../src/model/known-service.ts";
import { buildEndpoint, buildPort, buildRecord, buildService, buildSlice } from "../support/build.ts";

const VIEWPOINT = { family: "IPv4", nodeName: "n1", zone: "z1", allowServiceExternalIPs: true, ipvs: true } as const;

const INTERNAL: Partial<Service> = { internalTrafficPolicy: "Local" };
const OUTSIDE: Partial<Service> = { type: "NodePort", ports: [buildPort({ nodePort: 30080 })] };
const EXTERNAL: Partial<Service> = { ...OUTSIDE, externalTrafficPolicy: "Local" };

const DRAINING = { ready: false, terminating: true };
const near = buildEndpoint("10.1.0.1", { nodeName: "n1" });
const nearDraining = buildEndpoint("10.1.0.1", { nodeName: "n1", ...DRAINING });
const far = buildEndpoint("10.1.0.2", { zoneHints: ["z1"] });
const farOff = buildEndpoint("10.1.0.3", { zoneHints: ["z2"] });
const farDraining = buildEndpoint("10.1.0.2", DRAINING);
const farUnready = buildEndpoint("10.1.0.2", { ready: false, serving: false });

// Service, endpoints, last numbers of those behind the cluster IP and behind all other addresses.
const CASES = [
  ["Cluster policies", OUTSIDE, [near, far], "1 2", "1 2"],
  ["all draining", OUTSIDE, [farDraining], "2", "2"],
  ["none ready", OUTSIDE, [farUnready], "", ""],
  ["internal Local, one here", { ...OUTSIDE, ...INTERNAL }, [near, far], "1", "1 2"],
  ["internal Local, none here, nothing outside", INTERNAL, [far], "", ""],
  ["internal Local, none here, with a nodePort", { ...OUTSIDE, ...INTERNAL }, [far], "2", "2"],
  ["external Local, one here", EXTERNAL, [near, far], "1 2", "1"],
  ["external Local, one draining here", EXTERNAL, [nearDraining, far], "2", "1"],
  ["external Local, none here", EXTERNAL, [far], "2", "2"],
  ["external Local, none here, hints hold for the others", EXTERNAL, [far, farOff], "2", "2"],
  ["both Local, none anywhere", { ...EXTERNAL, ...INTERNAL }, [], "", ""],
] as const;

for (const [name, service, endpoints, internal, external] of CASES) {
  t.test(name, async (t) => {
    const record = buildRecord(buildService(service), buildSlice(endpoints));
    const [port] = knownServiceOf(record, VIEWPOINT).ports;
    if (!port) throw new Error("no port");
    const lastNumbers = (kind: "internal" | "external") =>
      endpointsBehind(port.traffic, kind)
        .map(({ ip }) => ip.split(".")[3])
        .join(" ");
    t.equal(lastNumbers("internal"), internal, "cluster IP");
    t.equal(lastNumbers("external"), external, "others");
  });
}
