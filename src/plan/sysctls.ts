// Which kernel settings have to be written?
import type { Sysctl } from "../state/kernel-state.ts";
import type { Step } from "./plan.ts";

/** Only what differs is written; a value that could not be observed counts as different. Nothing is ever set back. */
export function diffSysctls(wanted: readonly Sysctl[], actual: readonly Sysctl[]): readonly Step[] {
  const values = new Map(actual.map((setting) => [setting.path, "value" in setting ? setting.value : undefined]));
  return wanted.flatMap((setting): readonly Step[] => {
    const value = values.get(setting.path);
    if ("least" in setting) {
      const enough = value !== undefined && Number(value) >= setting.least;
      return enough ? [] : [{ kind: "sysctl", path: setting.path, value: String(setting.least) }];
    }
    return value === setting.value ? [] : [{ kind: "sysctl", path: setting.path, value: setting.value }];
  });
}
