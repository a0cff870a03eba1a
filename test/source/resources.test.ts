import t from "tap";
import { clusterResources, podResource, printPath, WHOLE_CLUSTER } from "../../src/source/resources.ts";

t.test("what kube-proxy asks for, with its selectors", (t) => {
  const asked = clusterResources("worker-a").map((resource) => {
    const { pathname, searchParams } = new URL(printPath(resource, { limit: "500", continue: "" }), "http://x");
    return [resource.kind, pathname, Object.fromEntries(searchParams)];
  });
  t.strictSame(asked, [
    [
      "Service",
      "/api/v1/services",
      {
        labelSelector: "!service.kubernetes.io/service-proxy-name",
        fieldSelector: "spec.clusterIP!=None",
        limit: "500",
      },
    ],
    [
      "EndpointSlice",
      "/apis/discovery.k8s.io/v1/endpointslices",
      { labelSelector: "!service.kubernetes.io/headless", limit: "500" },
    ],
    ["Node", "/api/v1/nodes", { fieldSelector: "metadata.name=worker-a", limit: "500" }],
  ]);
  t.end();
});

t.test("everything, without selectors", (t) => {
  const paths = WHOLE_CLUSTER.map((resource) => printPath(resource, {}));
  t.strictSame(paths, ["/api/v1/services?", "/apis/discovery.k8s.io/v1/endpointslices?", "/api/v1/nodes?"]);
  t.end();
});

t.test("one Pod is asked for in its namespace alone", (t) => {
  const path = printPath(podResource({ namespace: "shop", name: "web-0" }), {});
  t.equal(path, "/api/v1/namespaces/shop/pods?fieldSelector=metadata.name%3Dweb-0");
  t.end();
});

t.test("a node name is escaped in the field selector", async (t) => {
  const [, , nodes] = clusterResources("a,metadata.name!=b=c\\d");
  t.equal(nodes?.selectors["fieldSelector"], "metadata.name=a\\,metadata.name!\\=b\\=c\\\\d");
});
