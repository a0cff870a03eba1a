// What is kept of an EndpointSlice's manifest, whether or not it can be used?
import t from "tap";
import { readSliceManifest } from "../../src/api/slice-manifest.ts";

t.test("every endpoint with all of its addresses", (t) => {
  const manifest = readSliceManifest({
    kind: "EndpointSlice",
    metadata: { name: "a-1", namespace: "shop", labels: { "kubernetes.io/service-name": "a" } },
    addressType: "IPv6",
    endpoints: [{ addresses: ["FD00::1", "db.example.org"] }, {}],
  });
  t.strictSame(manifest, {
    namespace: "shop",
    name: "a-1",
    service: "a",
    addressType: "IPv6",
    endpoints: [["fd00::1", "db.example.org"], []],
  });
  t.end();
});

t.test("without namespace and label, as far as it goes", (t) => {
  const bare = readSliceManifest({ kind: "EndpointSlice", metadata: { name: "a-1" } });
  t.strictSame(bare, { namespace: "default", name: "a-1", service: "", addressType: "", endpoints: [] });
  t.equal(readSliceManifest({ kind: "Service", metadata: { name: "a" } }), undefined);
  t.equal(readSliceManifest({ kind: "EndpointSlice", metadata: { name: "A b" } }), undefined);
  t.equal(readSliceManifest(undefined), undefined);
  t.end();
});
