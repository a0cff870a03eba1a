// Which Nodes cannot follow hints for zones?
import { printObject } from "../../api/object-name.ts";
import type { ClusterCheck } from "../check.ts";

export const nodeWithoutZone: ClusterCheck = {
  id: "node-without-zone",
  severity: "warning",
  *find({ nodes, services }) {
    const hinted = [...services.values()].some(({ ports }) =>
      ports.some(({ endpoints }) => endpoints.some(({ zoneHints }) => zoneHints.length > 0)),
    );
    if (!hinted) return;
    for (const node of nodes.filter(({ zone }) => zone === "")) {
      yield {
        object: printObject(node),
        field: 'metadata.labels["topology.kubernetes.io/zone"]',
        message: "the Node has no zone, and EndpointSlices have hints for zones",
        consequence: `${node.name} ignores these hints and uses endpoints of all zones`,
      };
    }
  },
};
