// Does a kernel that has IPVS show, cluster after cluster, exactly what the golden files say?
import { readFileSync } from "node:fs";
import { execa } from "execa";
import t, { type Test } from "tap";
import { type RunCommand, runCommand } from "../../src/kernel/command.ts";
import { type Kernel, machine } from "../../src/kernel/kernel.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { printPlan } from "../../src/plan/print.ts";
import { pass } from "../../src/sync/pass.ts";
import { legacyFirst } from "../support/iptables-variant.ts";
import { savedTables } from "../support/saved-tables.ts";
import { goldenIpvs, goldenSection, goldenTables, shownIpvs } from "../support/shown-ipvs.ts";
import { IPVS_BACKEND } from "../support/templates.ts";
import { type WantedCluster, wantedClusters } from "../support/wanted.ts";

t.setTimeout(600_000);

/** Between them these have every set, every rule and every kind of server. */
const THROUGH_LEGACY = /^v(07-nodeport-sctp-local|10|11-source-ranges-without|35)/;

/**
 * Those and some to change between, by the beginnings of their names: all would take long each time.
 * FAIRLEAD_STATES=all is all of them.
 */
const THROUGH_NFT =
  process.env.FAIRLEAD_STATES === "all"
    ? /^/
    : /^(?:x|v(?:01|03|04|05-nodeport-a|07|08-l|10|11|12-external-ips-l|13|35))/;

const clusters = await wantedClusters("ipvs");

t.test("through nft", (t) => follow(t, some(THROUGH_NFT), "nft"));

t.test("the interface is down, and without a queue", async (t) => {
  const { stdout } = await execa("ip", ["link", "show", "kube-ipvs0"]);
  t.match(stdout, /: kube-ipvs0: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN mode DEFAULT group default \n/);
});

t.test("through legacy", (t) => {
  legacyFirst();
  return follow(t, some(THROUGH_LEGACY), "legacy");
});

function some(beginnings: RegExp): readonly WantedCluster[] {
  return clusters.filter(({ name }) => beginnings.test(name));
}

/** One after the other, as a cluster changes: nothing of the one before may stay. */
async function follow(t: Test, wanted: readonly WantedCluster[], variant: "nft" | "legacy"): Promise<void> {
  const saves = new Map<string, string>();
  const kernel = machine(remembering(saves));
  for (const cluster of wanted) {
    await t.test(cluster.name, async (t) => {
      // As in the daemon, both at a time.
      await Promise.all(FAMILIES.map((family) => bring(t, { kernel, cluster, family, variant })));
      t.strictSame(await shownIpvs(), goldenIpvs(cluster.folder), "servers, sets and addresses");
      for (const family of FAMILIES) await compareTables(t, cluster, family, saves);
    });
  }
}

interface Subject {
  readonly kernel: Kernel;
  readonly cluster: WantedCluster;
  readonly family: Family;
  readonly variant: "nft" | "legacy";
}

async function bring(t: Test, { kernel, cluster, family, variant }: Subject): Promise<void> {
  const means = { kernel, backend: IPVS_BACKEND, variant };
  const { applied } = await pass(means, cluster.wanted(family));
  const refusals = [applied.refused, ...applied.items].flatMap((refused) => refused?.error.message ?? []);
  t.strictSame(refusals, [], `${family}: all is accepted`);
  // A look without a memory, as a start has it.
  const again = await pass(means, cluster.wanted(family));
  t.strictSame([...printPlan(again.plan)], [], `${family}: a new start has nothing to do`);
  for (const [path, value] of goldenSysctls(cluster.folder, family)) {
    t.equal(readFileSync(`/proc/sys/${path}`, "utf8").trim(), value, path);
  }
}

/** The last save is that of the second look: nothing came after it. */
async function compareTables(t: Test, { folder }: WantedCluster, family: Family, saves: ReadonlyMap<string, string>) {
  const run: RunCommand = async ({ program }) => saves.get(program) ?? "";
  t.strictSame(await savedTables(run, family), goldenTables(folder, family), `${family}: tables`);
}

/** To start a program takes long here, so what was told once is told again. */
function remembering(saves: Map<string, string>): RunCommand {
  return async (command) => {
    const text = await runCommand(command);
    saves.set(command.program, text);
    return text;
  };
}

function goldenSysctls(folder: string, family: Family): readonly (readonly [string, string])[] {
  const lines = goldenSection(folder, family, "sysctl").split("\n");
  return lines.map((line) => {
    const [name = "", value = ""] = line.split(" = ");
    return [name.replaceAll(".", "/"), value] as const;
  });
}
