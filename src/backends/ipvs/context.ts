// What does every chain file of IPVS mode need?
import type { Settings } from "../../model/settings.ts";
import type { Rule } from "../../state/kernel-state.ts";
import type { FillFrom } from "../fill.ts";
import { type SetRole, setName } from "./sets.ts";
import type { Summary } from "./summary.ts";

/** All ServicePorts of a family on their way into rules. */
export interface Context extends Summary {
  readonly fill: FillFrom;
  readonly settings: Settings;
}

/** Gives the rules under these headings, each with the name of the set. */
export type SetRules = (role: SetRole, ...headings: readonly string[]) => readonly Rule[];

/** Rules of a template that match a set, empty or not. */
export function rulesOf({ fill, settings }: Context, template: string): SetRules {
  return (role, ...headings) => {
    const set = setName(role, settings.family);
    return headings.map((heading) => fill(template, heading, { set }));
  };
}

/** The same, but none where the set has no entry: as in kube-proxy, most rules are only there where something needs them. */
export function rulesWhereFilled(context: Context, template: string): SetRules {
  const rules = rulesOf(context, template);
  return (role, ...headings) => (context.filled.has(role) ? rules(role, ...headings) : []);
}
