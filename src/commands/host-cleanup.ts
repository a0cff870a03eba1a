// Cleans up the machine that the command runs on.
import { KernelError } from "../errors.ts";
import { deleteTable, familiesOfTable, KUBE_PROXY_TABLE } from "../kernel/nft-tables.ts";
import { FAMILIES } from "../net/family.ts";
import { openBackend } from "./backend.ts";
import { type CleanupInput, cleanup, type Leftover, removeLeftover } from "./cleanup.ts";
import type { ExitCode } from "./failure.ts";
import { INDEXED_SETS, IPVS_LEFTOVERS } from "./ipvs-leftovers.ts";
import { openMachine, ruleAccessError } from "./machine.ts";

const nftablesTables: Leftover = {
  kind: "nftables table",
  find: async () => (await familiesOfTable(KUBE_PROXY_TABLE)).map((family) => `${family} ${KUBE_PROXY_TABLE}`),
  remove: async (name) => {
    for (const family of FAMILIES) if (name.startsWith(family)) await deleteTable(family, KUBE_PROXY_TABLE);
  },
};

/** What modes leave beside rules of iptables, in the order in which it can go. */
const LEFTOVERS: readonly Leftover[] = [...IPVS_LEFTOVERS, nftablesTables];

/** Of which of them an ordinary start in this mode gets rid: those that would work against it. */
const FOREIGN: Readonly<Record<"iptables" | "ipvs", readonly Leftover[]>> = {
  iptables: [nftablesTables],
  ipvs: [nftablesTables],
};

/**
 * Removes what any mode, or one layout, has put into the kernel of this machine. Rejects with InputError for lack of
 * rights.
 */
export async function cleanHost(input: Pick<CleanupInput, "dryRun" | "layout" | "output">): Promise<ExitCode> {
  const backend = await openBackend({ mode: "iptables", iptablesLayout: "Compat" });
  const { kernel, whyUnusable } = await openMachine({}).catch((error: unknown) => {
    throw error instanceof KernelError ? ruleAccessError("change", error.message, "") : error;
  });
  const leftovers = input.layout === undefined ? LEFTOVERS : [INDEXED_SETS];
  return cleanup({ ...input, kernel, whyUnusable, backend, leftovers });
}

/** Takes away what other modes left and would disturb this one, as every start of kube-proxy does. Failures are notes. */
export async function cleanForeign(mode: "iptables" | "ipvs", output: CleanupInput["output"]): Promise<void> {
  for (const leftover of FOREIGN[mode]) await removeLeftover(leftover, { output, dryRun: false });
}
