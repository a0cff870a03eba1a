// How does a random cluster come before real packets in IPVS mode?
import { execa } from "execa";
import type { Test } from "tap";
import { runCommand } from "../../src/kernel/command.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { worldOf } from "../../src/model/world.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { pass } from "../../src/sync/pass.ts";
import { type Ruleset, rulesetOfDump } from "../../src/trace/ruleset.ts";
import { type PacketScene, PLACEMENTS } from "./arbitrary-packets.ts";
import { buildFacts, buildOptions } from "./build.ts";
import { ownNetns } from "./netns.ts";
import { giveSources } from "./scene.ts";
import { IPVS_BACKEND } from "./templates.ts";
import { makeTopology, place, removeTopology, type Topology } from "./topology.ts";

/** What a kernel holds, by family. */
export type Fields = ReadonlyMap<Family, Ruleset>;

/** Where the node of these tests has its pods. */
export const POD_INTERFACE = "cni0";

const KERNEL = machine(runCommand);

const DUMP = ["iptables-save", "ip6tables-save", "ipset save", "ipvsadm -Sn"].join("; echo ==; ");

/** The node is the namespace of this process, so that its netlink sockets are inside. */
export async function makePacketStage(t: Test): Promise<Topology> {
  const topology = await makeTopology(POD_INTERFACE, ownNetns);
  t.teardown(() => removeTopology(topology));
  await giveSources(topology);
  await place(topology, PLACEMENTS);
  // IPVS remembers a flow of UDP for so many seconds, and another one may get its port. The others are the kernel's own.
  await execa("ipvsadm", ["--set", "900", "120", "1"]);
  return topology;
}

/** Has the kernel hold the cluster, in place of the one before, and says what it holds then. */
export async function showCluster({ snapshot, settings }: PacketScene): Promise<Fields> {
  const options = buildOptions({ mode: "ipvs", ...settings });
  const facts = buildFacts({ addresses: await KERNEL.addresses("node") });
  const bring = async (family: Family) => {
    const wanted = IPVS_BACKEND.desired(worldOf({ snapshot, nodeName: "n1", options, facts, family }));
    const { applied } = await pass({ kernel: KERNEL, backend: IPVS_BACKEND, variant: "nft" }, wanted);
    for (const refused of [applied.refused, ...applied.items]) if (refused) throw refused.error;
  };
  await Promise.all(FAMILIES.map(bring));
  await execa("conntrack", ["-F"]);
  return observedFields();
}

async function observedFields(): Promise<Fields> {
  const { stdout } = await execa("sh", ["-c", DUMP]);
  const [v4 = "", v6 = "", sets = "", servers = ""] = stdout.split(/^==$/m);
  const addresses = await KERNEL.addresses("all");
  const fieldOf = (family: Family, tables: string) => rulesetOfDump({ family, tables, sets, servers, addresses });
  return new Map([
    ["IPv4", fieldOf("IPv4", v4)],
    ["IPv6", fieldOf("IPv6", v6)],
  ]);
}
