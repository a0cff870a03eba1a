// Logs what a sync did.
import type { Progress } from "../kernel/apply.ts";
import type { Family } from "../net/family.ts";
import type { Plan } from "../plan/plan.ts";
import { printPlan } from "../plan/print.ts";
import { claimantsIn } from "../state/ipvs-claims.ts";
import type { KernelState } from "../state/kernel-state.ts";
import { type Kept, refusalIn } from "./keeper.ts";
import type { Log } from "./log.ts";
import type { Clock } from "./schedule.ts";

/** Lines of a drift that are logged; the rest is a number. */
const SHOWN = 20;

/** Milliseconds between two lines about the same long pass; a shorter pass has none. */
const GAP = 1_000;

export interface PassLogInput {
  readonly family: Family;
  readonly mode: string;
  readonly log: Log;
  readonly clock: Clock;
}

/** Verbosity of the line about a sync that changed nothing, which is that of kube-proxy for every sync. */
const UNCHANGED = 2;

/** Logs the end of each sync, and each change that the kernel rejected with the object that it is for. */
export class PassLog {
  readonly #input: PassLogInput;
  #keptBefore = "";
  #unreadableBefore = "";
  #said: number;
  /** No sync has succeeded yet. */
  #first = true;

  constructor(input: PassLogInput) {
    this.#input = input;
    this.#said = input.clock.now();
  }

  /** A pass begins. */
  begin(): void {
    this.#said = this.#input.clock.now();
  }

  progressed({ rules, done, of }: Progress): void {
    const { clock, log, family } = this.#input;
    if (clock.now() - this.#said < GAP) return;
    this.#said = clock.now();
    log.info({ ipFamily: family, rules, steps: `${done}/${of}` }, "Writing rules");
  }

  /** `held`: the applied state. It tells which Service port a rejected item is for. */
  end(kept: Kept, held?: KernelState): void {
    const { elapsed, attempts, drift, rejected, items } = kept;
    const { family, mode, log } = this.#input;
    this.#logUnreadable(kept);
    if (drift) this.#sayDrift(drift);
    this.#logRejectedAttempts(kept);
    for (const { refused, error, instead } of rejected) {
      const fields = { ipFamily: family, servicePort: refused.key, code: error.refusal.code, err: error.message };
      const kept = instead ? "its present rules stay" : "it has no rules yet";
      log.error(fields, `Kernel rejected the rules of this Service port; quarantined and retried later, ${kept}`);
    }
    const owners =
      items.length === 0 || !held
        ? undefined
        : claimantsIn(
            held.fragments,
            items.map(({ key }) => key),
          );
    for (const { key, error } of items) {
      const owner = owners?.get(key)?.key;
      const of = owner === undefined ? {} : { servicePort: owner };
      const fields = { ipFamily: family, item: key, ...of, code: error.refusal.code, err: error.message };
      log.error(fields, "Kernel rejected this item; skipping it and retrying later");
    }
    const fields = { ipFamily: family, mode, elapsed: `${Math.round(elapsed)}ms` };
    this.#sayKept(attempts.at(-1)?.plan.kept ?? []);
    const refused = refusalIn(kept);
    if (refused) {
      const { step, error } = refused;
      const said = { ...fields, step: step.kind, code: error.refusal.code, err: error.message };
      log.error(said, "Kernel rejected a change; the rules in the kernel stay, retrying");
      return;
    }
    const steps = attempts.reduce((sum, { applied }) => sum + applied.done.length, 0);
    const done = { ...fields, steps };
    if (steps > 0 || this.#first) log.info(done, "SyncProxyRules complete");
    else log.debug(UNCHANGED, done, "SyncProxyRules complete");
    this.#first = false;
  }

  /** Every attempt that the kernel rejected, but for the last one of a sync that failed: that is logged as the error. */
  #logRejectedAttempts({ attempts, failure }: Kept): void {
    for (const [index, { applied }] of attempts.entries()) {
      const error = applied.refused?.error;
      if (!error || error === failure?.error) continue;
      const fields = { ipFamily: this.#input.family, attempt: index + 1, code: error.refusal.code, err: error.message };
      this.#input.log.warn(fields, "Kernel rejected a change; trying again");
    }
  }

  /** The pass did not get as far as the kernel's rules. */
  blind({ message }: Error): void {
    this.#input.log.error({ ipFamily: this.#input.family, err: message }, "Cannot read the kernel's rules; retrying");
  }

  /** Once, until other tables cannot be read. */
  #logUnreadable({ unreadable = new Map() }: Kept): void {
    const { family, log } = this.#input;
    const tables = [...unreadable.keys()].join(", ");
    if (tables === this.#unreadableBefore) return;
    if (tables === "") {
      log.info({ ipFamily: family, tables: this.#unreadableBefore }, "Tables can be read again; compared all rules");
    } else {
      const err = [...new Set(unreadable.values())].join("; ");
      const message =
        "Cannot read tables; writing all rules without comparing them, deleting nothing, reading again later";
      log.error({ ipFamily: family, tables, err }, message);
    }
    this.#unreadableBefore = tables;
  }

  #sayDrift(plan: Plan): void {
    const lines = [...printPlan(plan)];
    const fields = { ipFamily: this.#input.family, lines: lines.length, changes: lines.slice(0, SHOWN).join("\n") };
    this.#input.log.warn(fields, "Other software changed our rules; restored them");
  }

  #sayKept(kept: Plan["kept"]): void {
    const chains = kept.map(({ table, chain, rule }) => `${table} ${chain} (${rule})`).join("; ");
    if (chains !== this.#keptBefore && chains !== "") {
      const fields = { ipFamily: this.#input.family, chains };
      this.#input.log.warn(fields, "Stale chains stay, empty, because rules of other software jump to them");
    }
    this.#keptBefore = chains;
  }
}
