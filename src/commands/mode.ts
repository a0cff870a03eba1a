// Chooses the proxy mode of this node, and falls back to iptables mode where IPVS is missing.
import { isDeepStrictEqual } from "node:util";
import type { Backend } from "../backends/backend.ts";
import { KernelError } from "../errors.ts";
import type { MissingPart } from "../kernel/ipvs-support.ts";
import { DEFAULTS } from "../options/defaults.ts";
import { fallBackToIPTables, type Options } from "../options/options.ts";
import type { Config } from "../options/table.ts";
import type { Log } from "../sync/log.ts";
import { FatalError } from "./failure.ts";
import type { Machine } from "./machine.ts";

export interface ModeInput {
  readonly options: Options;
  readonly config: Config;
  readonly ipvsSupport: Machine["ipvsSupport"];
  readonly log: Log;
}

export interface ChosenMode {
  readonly mode: Backend["mode"];
  /** As they hold in that mode. */
  readonly options: Options;
  /** Why it is not the one that was asked for. */
  readonly fallback?: { readonly part: MissingPart; readonly words: string };
}

/**
 * IPVS mode where the kernel can do it; else iptables mode, unless that is forbidden. The choice holds until the process
 * ends. Rejects with FatalError where IPVS mode is asked for and there is no way to tell, or none but IPVS is allowed.
 */
export async function chooseMode({ options, config, ipvsSupport, log }: ModeInput): Promise<ChosenMode> {
  if (options.mode !== "ipvs") return { mode: "iptables", options };
  const support = await ipvsSupport(options.ipvs.scheduler).catch((error: unknown) => {
    if (!(error instanceof KernelError)) throw error;
    throw new FatalError(`can't use the IPVS proxier: ${error.message}`);
  });
  if (support.kind === "usable") return { mode: "ipvs", options };
  const { part, words } = support;
  if (options.ipvs.fallback === "None") throw new FatalError(`can't use the IPVS proxier: ${words} (${part})`);
  log.error({ reason: part, err: words }, "IPVS mode is not possible here, falling back to iptables mode");
  for (const field of setFields(config)) log.info({ field }, "Ignoring a setting of IPVS mode");
  return { mode: "iptables", options: fallBackToIPTables(options), fallback: { part, words } };
}

/** Fields of IPVS mode that say something else than they do by themselves. */
function setFields(config: Config): readonly string[] {
  const values: Readonly<Record<string, unknown>> = { ...config };
  const defaults: Readonly<Record<string, unknown>> = { ...DEFAULTS };
  const fields = Object.keys(values).filter((field) => field.startsWith("ipvs.") && field !== "ipvs.fallback");
  return fields.filter((field) => !isDeepStrictEqual(values[field], defaults[field]));
}
