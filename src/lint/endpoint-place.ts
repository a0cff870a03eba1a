// Where does an endpoint of a slice stand in what was written?
import { printIdentity } from "../api/object-name.ts";
import type { EndpointSlice } from "../api/objects.ts";
import { type LintedCluster, nameOf } from "./cluster.ts";
import type { ObjectRemark } from "./finding.ts";

/** Object and field of the endpoint at this position of the slice; a mirrored slice stands for its Endpoints object. */
export function endpointPlace(
  slice: EndpointSlice,
  index: number,
  { slices }: Pick<LintedCluster, "slices">,
): Pick<ObjectRemark, "object" | "field"> {
  const { namespace, name, service } = slice;
  const manifest = slices.get(nameOf(slice));
  if (!manifest) return { object: printIdentity({ kind: "Endpoints", namespace, name: service }), field: "subsets" };
  const position = positionOf(slice, index, manifest.endpoints);
  return { object: printIdentity({ kind: "EndpointSlice", namespace, name }), field: `endpoints[${position}]` };
}

// Endpoints with unusable addresses are not in the slice, so that those behind them stand further on in the manifest.
function positionOf({ endpoints }: EndpointSlice, index: number, written: readonly (readonly string[])[]): number {
  let next = 0;
  return written.findIndex(([address]) => address === endpoints[next]?.address && next++ === index);
}
