// Which mode's rules are written, and which rules of any mode are ours to take away?
import type { Backend } from "../backends/backend.ts";
import { indexedBackend } from "../backends/indexed/backend.ts";
import { iptablesBackend } from "../backends/iptables/backend.ts";
import { ipvsBackend } from "../backends/ipvs/backend.ts";
import type { Options } from "../options/options.ts";
import { readTemplates } from "./templates.ts";

/** A mode, in iptables mode with its layout. */
export type Choice = Pick<Options, "mode" | "iptablesLayout">;

/** A mode that also takes out the jumps of the other one; those of both layouts are alike. Rejects when the templates cannot be read. */
export async function openBackend({ mode, iptablesLayout }: Choice): Promise<Backend> {
  const iptables =
    iptablesLayout === "Indexed"
      ? indexedBackend(await readTemplates("indexed"))
      : iptablesBackend(await readTemplates("iptables"));
  const ipvs = ipvsBackend(await readTemplates("ipvs"));
  const jumps = new Map([...iptables.jumps, ...ipvs.jumps].map((rule) => [rule.line, rule]));
  return { ...(mode === "ipvs" ? ipvs : iptables), jumps: [...jumps.values()] };
}
