// How are kernel settings written for `sysctl -p`?
import type { Sysctl } from "./kernel-state.ts";

/** One line for each setting, in the form of sysctl.conf. */
export function printSysctls(sysctls: readonly Sysctl[]): readonly string[] {
  return sysctls.map((setting) => {
    const value = "value" in setting ? setting.value : String(setting.least);
    return `${setting.path.replaceAll("/", ".")} = ${value}`;
  });
}
