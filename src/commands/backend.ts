// Which mode's rules are written, and which rules of any mode are ours to take away?
import type { Backend } from "../backends/backend.ts";
import { iptablesBackend } from "../backends/iptables/backend.ts";
import { ipvsBackend } from "../backends/ipvs/backend.ts";
import { readTemplates } from "./templates.ts";

/** A mode that also takes out the jumps of the other one. Rejects when the templates cannot be read. */
export async function openBackend(mode: Backend["mode"]): Promise<Backend> {
  const iptables = iptablesBackend(await readTemplates("iptables"));
  const ipvs = ipvsBackend(await readTemplates("ipvs"));
  const jumps = new Map([...iptables.jumps, ...ipvs.jumps].map((rule) => [rule.line, rule]));
  return { ...(mode === "ipvs" ? ipvs : iptables), jumps: [...jumps.values()] };
}
