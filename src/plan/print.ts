// How does a plan read?
import { printIpvsStep } from "./ipvs-print.ts";
import type { Plan, Step, TableChange } from "./plan.ts";

/** One line for each thing done: `+` for what comes, `-` for what goes, `!` for what stays against our wish. */
export function* printPlan({ steps, kept }: Plan): Iterable<string> {
  for (const step of steps) yield* printStep(step);
  for (const { table, chain, rule } of kept) yield `! ${table} ${chain} stays, empty, because of: ${rule}`;
}

function* printStep(step: Step): Iterable<string> {
  switch (step.kind) {
    case "sysctl":
      yield `+ sysctl ${step.path} = ${step.value}`;
      break;
    case "counter":
      yield `+ nfacct ${step.name}`;
      break;
    case "iptables":
      for (const change of step.changes) yield* printChange(step.family, change);
      break;
    default:
      yield* printIpvsStep(step);
  }
}

function* printChange(family: string, { table, clear, rules, remove }: TableChange): Iterable<string> {
  const where = `${family} ${table}`;
  const gone = new Set(remove);
  for (const chain of clear) if (!gone.has(chain)) yield `+ ${where} :${chain}`;
  for (const rule of rules) yield `${rule.startsWith("-D") ? "-" : "+"} ${where} ${rule}`;
  for (const chain of remove) yield `- ${where} :${chain}`;
}
