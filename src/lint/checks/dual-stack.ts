// Checks that the addresses, endpoints and EndpointSlices of a Service have the IP families of its cluster IPs.
import { printObject } from "../../api/object-name.ts";
import { familyOf } from "../../net/address.ts";
import type { Check, ClusterCheck, ServiceCheck } from "../finding.ts";
import { clusterIPField } from "../print.ts";

/** Rules are created per family, and only for a family in which the Service has a cluster IP. */
const addressFamily: ServiceCheck = {
  id: "address-family",
  severity: "error",
  *checkService({ manifest, ports }) {
    const families = new Set(ports.map(({ family }) => family));
    if (families.size === 0) return;
    const addresses = [
      ...manifest.externalIPs.map((address, index) => ({ address, field: `spec.externalIPs[${index}]` })),
      ...manifest.ingress.map(({ address }, index) => ({ address, field: `status.loadBalancer.ingress[${index}].ip` })),
    ];
    for (const { address, field } of addresses) {
      const family = familyOf(address);
      if (address === "" || families.has(family)) continue;
      yield {
        field,
        message: `${address} is an ${family} address, but the Service has no ${family} cluster IP`,
        consequence: "no rules are created for it: packets to it do not reach the Service",
        remedy: `add ${family} to spec.ipFamilies, or remove the address`,
      };
    }
  },
};

const familyWithoutEndpoints: ServiceCheck = {
  id: "family-without-endpoints",
  severity: "error",
  *checkService(service) {
    const { ports, slices } = service;
    const served = new Set(slices.flatMap(({ family, endpoints }) => (endpoints.length > 0 ? [family] : [])));
    if (served.size === 0) return;
    const clusterIPs = new Map(ports.map(({ family, traffic }) => [family, traffic.servicePort.clusterIP]));
    for (const [family, clusterIP] of clusterIPs) {
      if (served.has(family)) continue;
      yield {
        field: clusterIPField(service, clusterIP),
        message: `no EndpointSlice has ${family} endpoints`,
        consequence: `connections to ${clusterIP} and all other ${family} traffic for the Service are rejected`,
        remedy: `add ${family} endpoints, or remove ${family} from spec.ipFamilies`,
      };
    }
  },
};

const sliceFamily: ClusterCheck = {
  id: "slice-family",
  severity: "warning",
  *checkCluster({ readSlices, services, families }) {
    for (const slice of readSlices) {
      const ports = services.get(`${slice.namespace}/${slice.service}`)?.ports ?? [];
      const isChecked = families.some(({ family }) => family === slice.family);
      if (!isChecked || ports.length === 0 || ports.some(({ family }) => family === slice.family)) continue;
      yield {
        object: printObject(slice),
        field: "addressType",
        message: `the Service has no ${slice.family} cluster IP`,
        consequence: "these endpoints receive no connections",
        remedy: `add ${slice.family} to spec.ipFamilies of the Service, or remove the EndpointSlice`,
      };
    }
  },
};

export const dualStackChecks: readonly Check[] = [addressFamily, familyWithoutEndpoints, sliceFamily];
