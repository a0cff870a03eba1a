// Which program is the node proxy that a test starts in the guest, where to build it takes longer than the test?
import { dirname, join } from "node:path";
import { PLAIN_NODE, type Program } from "./program.ts";

/** The name that it has among the bundles. */
export const GUEST_PROGRAM = "main";

/** Bundled on the host, beside the test file that asks. What it runs counts as covered. */
export function guestProgram(): Program {
  return [...PLAIN_NODE, join(dirname(process.argv[1] ?? ""), `${GUEST_PROGRAM}.mjs`)];
}
