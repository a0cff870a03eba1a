// Which mode's rules are written, and which rules of any mode are ours to take away?
import type { Backend } from "../backends/backend.ts";
import { indexedBackend } from "../backends/indexed/backend.ts";
import { iptablesBackend } from "../backends/iptables/backend.ts";
import { ipvsBackend } from "../backends/ipvs/backend.ts";
import type { Options } from "../options/options.ts";
import { readTemplates } from "./templates.ts";

/** A mode, in iptables mode with its layout. */
export type Choice = Pick<Options, "mode" | "iptablesLayout">;

/** A mode that also takes out the jumps of the others. Rejects when the templates cannot be read. */
export async function openBackend({ mode, iptablesLayout }: Choice): Promise<Backend> {
  const compat = iptablesBackend(await readTemplates("iptables"));
  const indexed = indexedBackend(await readTemplates("indexed"));
  const ipvs = ipvsBackend(await readTemplates("ipvs"));
  const jumps = new Map([...compat.jumps, ...indexed.jumps, ...ipvs.jumps].map((rule) => [rule.line, rule]));
  const chosen = mode === "ipvs" ? ipvs : iptablesLayout === "Indexed" ? indexed : compat;
  return { ...chosen, jumps: [...jumps.values()] };
}
