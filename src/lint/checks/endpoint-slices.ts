// Checks for EndpointSlices and Endpoints objects that node proxies do not use.
import { printIdentity, printObject } from "../../api/object-name.ts";
import type { Endpoints } from "../../api/objects.ts";
import { type LintedCluster, nameOf } from "../cluster.ts";
import type { Check, ClusterCheck } from "../finding.ts";

const SERVICE_NAME_LABEL = "kubernetes.io/service-name";

const sliceWithoutService: ClusterCheck = {
  id: "slice-without-service",
  severity: "error",
  *checkCluster({ slices, services, unread }) {
    for (const { namespace, name, service } of slices.values()) {
      const owner = `${namespace}/${service}`;
      if (services.has(owner) || unread.has(`Service ${owner}`)) continue;
      yield {
        object: printIdentity({ kind: "EndpointSlice", namespace, name }),
        field: `metadata.labels["${SERVICE_NAME_LABEL}"]`,
        message: service === "" ? `label ${SERVICE_NAME_LABEL} is missing` : `Service ${owner} does not exist`,
        consequence: "no rules are created for these endpoints",
        remedy: "set the label to the name of a Service in the same namespace",
      };
    }
  },
};

const HEADLESS_LABEL = "service.kubernetes.io/headless";

/** Node proxies select EndpointSlices without this label, whatever its value (`pkg/proxy/config`). */
const sliceHeadless: ClusterCheck = {
  id: "slice-headless",
  severity: "error",
  *checkCluster({ readSlices, services }) {
    for (const slice of readSlices) {
      if (!slice.headless || !services.get(`${slice.namespace}/${slice.service}`)?.ports.length) continue;
      yield {
        object: printObject(slice),
        field: `metadata.labels["${HEADLESS_LABEL}"]`,
        message: "the label hides the EndpointSlice from node proxies, but its Service has a cluster IP",
        consequence: "these endpoints receive no connections",
        remedy: "remove the label",
      };
    }
  },
};

const sliceOfHostNames: ClusterCheck = {
  id: "slice-of-host-names",
  severity: "warning",
  *checkCluster({ slices }) {
    for (const { namespace, name, addressType } of slices.values()) {
      if (addressType !== "FQDN") continue;
      yield {
        object: printIdentity({ kind: "EndpointSlice", namespace, name }),
        field: "addressType",
        message: "addressType is FQDN: the addresses are host names",
        consequence: "these endpoints receive no connections: rules contain only IP addresses",
        remedy: "use addressType IPv4 or IPv6 with IP addresses, or a Service of type ExternalName",
      };
    }
  },
};

const secondAddress: ClusterCheck = {
  id: "second-address",
  severity: "warning",
  *checkCluster({ slices }) {
    for (const { namespace, name, endpoints } of slices.values()) {
      for (const [index, [first, ...others]] of endpoints.entries()) {
        if (others.length === 0) continue;
        yield {
          object: printIdentity({ kind: "EndpointSlice", namespace, name }),
          field: `endpoints[${index}].addresses[1]`,
          message: `the endpoint has ${others.length + 1} addresses`,
          consequence: `only the first address, ${first}, receives connections`,
          remedy: "write one endpoint per address",
        };
      }
    }
  },
};

/** Node proxies read only EndpointSlices. The control plane mirrors Endpoints for Services without a selector. */
const endpointsUnused: ClusterCheck = {
  id: "endpoints-unused",
  severity: "warning",
  *checkCluster(cluster) {
    const withSlices = new Set(cluster.readSlices.map(({ namespace, service }) => `${namespace}/${service}`));
    for (const endpoints of cluster.endpoints) {
      const message = whyUnused(endpoints, cluster, withSlices);
      if (message === undefined) continue;
      yield {
        ...{ object: printObject(endpoints), field: "subsets", message },
        consequence: "these addresses receive no connections: node proxies read only EndpointSlices",
        remedy: "write an EndpointSlice, or remove the Endpoints object",
      };
    }
  },
};

function whyUnused(endpoints: Endpoints, { services, unread }: LintedCluster, withSlices: ReadonlySet<string>) {
  const name = nameOf(endpoints);
  const owner = services.get(name);
  if (!owner) return unread.has(`Service ${name}`) ? undefined : `Service ${name} does not exist`;
  if (owner.service.hasSelector) return "the Service has a selector, so its Endpoints are not mirrored";
  return withSlices.has(name) ? "the Service has EndpointSlices of its own" : undefined;
}

export const endpointSliceChecks: readonly Check[] = [
  sliceWithoutService,
  sliceHeadless,
  sliceOfHostNames,
  secondAddress,
  endpointsUnused,
];
