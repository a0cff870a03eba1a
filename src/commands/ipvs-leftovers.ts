// Finds and removes what modes leave beside rules: ipsets, virtual servers and the interface of IPVS mode.
import { indexedSetNames, ownSetNames } from "../backends/own-sets.ts";
import { changeSets, findSets } from "../kernel/ipset.ts";
import { deleteAllServers, readServers } from "../kernel/ipvs.ts";
import { findDevice, removeDevice } from "../kernel/link.ts";
import { FAMILIES } from "../net/family.ts";
import { IPVS_DEVICE } from "../state/node-facts.ts";
import { printIdentity } from "../state/virtual-server.ts";
import type { Leftover } from "./cleanup.ts";

/** All of them, whoever made them, as kube-proxy's clean-up does. */
const servers: Leftover = {
  kind: "virtual server",
  find: async () => (await Promise.all(FAMILIES.map((family) => readServers(family)))).flat().map(printIdentity),
  remove: () => deleteAllServers(),
};

const device: Leftover = {
  kind: "interface",
  find: async () => ((await findDevice()) ? [IPVS_DEVICE] : []),
  remove: () => removeDevice(),
};

/** Sets of both families, unlike kube-proxy's clean-up. No rule may refer to them any more. */
function setsNamed(names: readonly string[]): Leftover {
  return {
    kind: "ipset",
    find: () => findSets(names),
    remove: async (name) => {
      const [[refusal] = []] = await changeSets([{ kind: "destroy", name }]);
      if (refusal) throw refusal;
    },
  };
}

/** Those of the Indexed layout alone. */
export const INDEXED_SETS: Leftover = setsNamed(FAMILIES.flatMap(indexedSetNames));

/** In the order in which they can go. */
export const IPVS_LEFTOVERS: readonly Leftover[] = [servers, device, setsNamed(FAMILIES.flatMap(ownSetNames))];
