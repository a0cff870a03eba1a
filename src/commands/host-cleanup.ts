// Of what is clean-up put together on a real machine?
import { deleteTable, familiesOfTable } from "../kernel/nft-tables.ts";
import { FAMILIES } from "../net/family.ts";
import { openBackend } from "./backend.ts";
import { type CleanupInput, cleanup, type Leftover, removeLeftover } from "./cleanup.ts";
import { IPVS_LEFTOVERS } from "./ipvs-leftovers.ts";
import { openMachine } from "./machine.ts";

/** The table that kube-proxy has in each family, in mode nftables. */
const TABLE = "kube-proxy";

const nftablesTables: Leftover = {
  kind: "nftables table",
  find: async () => (await familiesOfTable(TABLE)).map((family) => `${family} ${TABLE}`),
  remove: async (name) => {
    for (const family of FAMILIES) if (name.startsWith(family)) await deleteTable(family, TABLE);
  },
};

/** What modes leave beside rules of iptables, in the order in which it can go. */
const LEFTOVERS: readonly Leftover[] = [...IPVS_LEFTOVERS, nftablesTables];

/** Of which of them an ordinary start in this mode gets rid: those that would work against it. */
const FOREIGN: Readonly<Record<"iptables" | "ipvs", readonly Leftover[]>> = {
  iptables: [nftablesTables],
  ipvs: [nftablesTables],
};

/** Cleans this machine up, of all modes' things; the answer is whether nothing failed. */
export async function cleanHost({ dryRun, output }: Pick<CleanupInput, "dryRun" | "output">): Promise<boolean> {
  const backend = await openBackend({ mode: "iptables", iptablesLayout: "Compat" });
  const { kernel } = await openMachine({});
  return cleanup({ kernel, backend, leftovers: LEFTOVERS, output, dryRun });
}

/** Takes away what other modes left and would disturb this one, as every start of kube-proxy does. Failures are notes. */
export async function cleanForeign(mode: "iptables" | "ipvs", output: CleanupInput["output"]): Promise<void> {
  for (const leftover of FOREIGN[mode]) await removeLeftover(leftover, { output, dryRun: false });
}
