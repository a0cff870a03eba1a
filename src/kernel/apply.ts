// How is one step of a plan carried out?
import { KernelError } from "../errors.ts";
import type { Step } from "../plan/plan.ts";
import type { RunCommand } from "./command.ts";
import { restoreTables } from "./iptables.ts";
import { ensureCounter } from "./nfacct.ts";
import { writeSysctl } from "./sysctl.ts";

/** Carries the step out; the refusal if there is one. Anything but a refusal is thrown. */
export async function applyStep(run: RunCommand, step: Step): Promise<KernelError | undefined> {
  try {
    await carryOut(run, step);
    return undefined;
  } catch (error) {
    if (error instanceof KernelError) return error;
    throw error;
  }
}

function carryOut(run: RunCommand, step: Step): Promise<void> {
  switch (step.kind) {
    case "sysctl":
      return writeSysctl(step.path, step.value);
    case "counter":
      return ensureCounter(step.name);
    case "iptables":
      return restoreTables(run, step.family, step.changes);
  }
}
