// What should the kernel hold for a cluster of the fixtures?
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readInputFlags } from "../../src/commands/given-inputs.js";
import { openInputs } from "../../src/commands/inputs.js";
import { CollectedOutput } from "./collected-output.js";
import { FIXTURES } from "./golden.js";
import { BACKEND } from "./templates.js";
const CLUSTERS = join(FIXTURES, "clusters");
/** Every cluster of the fixtures, in the order of their names. */
export async function wantedClusters() {
    const clusters = [];
    for (const name of readdirSync(CLUSTERS).sort())
        clusters.push(await wantedCluster(join(CLUSTERS, name), name));
    return clusters;
}
/** The manifests `file` of a folder with its configuration and, where there is one, its file of node facts. */
export async function wantedCluster(folder, name, file = "cluster.yaml") {
    const facts = join(folder, "node-facts.yaml");
    const args = {
        paths: [join(folder, file)],
        nodeIps: [],
        nodeAddresses: [],
        verbose: false,
        ...(existsSync(facts) ? { nodeFacts: facts } : {}),
    };
    const config = new Map([["config", [join(folder, "config.yaml")]]]);
    const inputs = await openInputs(await readInputFlags(args, config, new CollectedOutput()), BACKEND);
    return {
        name,
        folder,
        wanted: (family) => {
            const state = inputs.wanted(family);
            if (!state)
                throw new Error(`${name} has no ${family}`);
            return state;
        },
    };
}
