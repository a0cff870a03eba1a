// Logs the value of every flag in the form of kube-proxy.
import { flagValues } from "../options/flag-values.ts";
import type { GivenFlags } from "../options/flags.ts";
import { goQuote } from "./go-quote.ts";
import type { Log } from "./log.ts";

/** Says `FLAG: --name="value"` of every flag, by name, to who asks for verbosity 1. Throws InputError as `flagValues`. */
export function logFlags(given: GivenFlags, log: Log): void {
  if (!log.says(1)) return;
  for (const [name, value] of flagValues(given)) log.print(1, `FLAG: --${name}=${goQuote(value)}`);
}
