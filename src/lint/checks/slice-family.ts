// Which EndpointSlices are of a family that their Service has no cluster IP of?
import { printObject } from "../../api/object-name.ts";
import type { ClusterCheck } from "../check.ts";

export const sliceFamily: ClusterCheck = {
  id: "slice-family",
  severity: "warning",
  *find({ readSlices, services, families }) {
    for (const slice of readSlices) {
      const ports = services.get(`${slice.namespace}/${slice.service}`)?.ports ?? [];
      const asked = families.some(({ family }) => family === slice.family);
      if (!asked || ports.length === 0 || ports.some(({ family }) => family === slice.family)) continue;
      yield {
        object: printObject(slice),
        field: "addressType",
        message: `the Service has no ${slice.family} cluster IP`,
        consequence: "no connection goes to these endpoints",
      };
    }
  },
};
