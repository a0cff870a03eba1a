// What should the kernel hold for a cluster of the fixtures?
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Backend } from "../../src/backends/backend.ts";
import { readInputFlags } from "../../src/commands/given-inputs.ts";
import { openInputs } from "../../src/commands/inputs.ts";
import type { Family } from "../../src/net/family.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import { CollectedOutput } from "./collected-output.ts";
import { FIXTURES } from "./golden.ts";
import { BACKEND, IPVS_BACKEND } from "./templates.ts";

const CLUSTERS = join(FIXTURES, "clusters");

const BACKENDS = { iptables: BACKEND, ipvs: IPVS_BACKEND };

export interface WantedCluster {
  readonly name: string;
  readonly folder: string;
  readonly wanted: (family: Family) => KernelState;
}

/** Every cluster of the fixtures whose configuration asks for the mode of the backend, in the order of their names. */
export async function wantedClusters(given: Backend | Backend["mode"] = "iptables"): Promise<readonly WantedCluster[]> {
  const backend = typeof given === "string" ? BACKENDS[given] : given;
  const clusters: WantedCluster[] = [];
  for (const name of readdirSync(CLUSTERS).sort()) {
    const folder = join(CLUSTERS, name);
    if (modeOf(folder) === backend.mode) clusters.push(await wantedCluster(folder, name, "cluster.yaml", backend));
  }
  return clusters;
}

/** The mode that a folder's configuration asks for. */
export function modeOf(folder: string): Backend["mode"] {
  return /^mode: ipvs$/m.test(readFileSync(join(folder, "config.yaml"), "utf8")) ? "ipvs" : "iptables";
}

/** The manifests `file` of a folder with its configuration and, where there is one, its file of node facts. */
export async function wantedCluster(
  folder: string,
  name: string,
  file = "cluster.yaml",
  backend: Backend = BACKENDS[modeOf(folder)],
): Promise<WantedCluster> {
  const facts = join(folder, "node-facts.yaml");
  const args = {
    paths: [join(folder, file)],
    nodeIps: [],
    nodeAddresses: [],
    verbose: false,
    ...(existsSync(facts) ? { nodeFacts: facts } : {}),
  };
  const config = new Map([["config", [join(folder, "config.yaml")] as const]]);
  const inputs = await openInputs(await readInputFlags(args, config, new CollectedOutput()), backend);
  return {
    name,
    folder,
    wanted: (family) => {
      const state = inputs.wanted(family);
      if (!state) throw new Error(`${name} has no ${family}`);
      return state;
    },
  };
}
