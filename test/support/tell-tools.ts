// Prints as JSON which iptables programs are chosen on this machine, and how many processes the choice took.
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KernelError } from "../../src/errors.ts";
import { type RunCommand, runCommand } from "../../src/kernel/command.ts";
import { chooseTools } from "../../src/kernel/iptables-variant.ts";

let processes = 0;
const counted: RunCommand = (command) => {
  processes += 1;
  return runCommand(command);
};
// As in an image where `iptables` stands for both variants.
const folder = mkdtempSync(join(tmpdir(), "fairlead-wrapped-"));
writeFileSync(join(folder, "iptables-wrapper"), "#!/bin/true\n");
chmodSync(join(folder, "iptables-wrapper"), 0o755);
for (const name of ["iptables", "ip6tables"]) symlinkSync("iptables-wrapper", join(folder, name));
try {
  console.log(
    JSON.stringify({ ...(await chooseTools(counted, { path: `${folder}:${process.env.PATH}` })), processes }),
  );
} catch (error) {
  if (!(error instanceof KernelError)) throw error;
  console.log(JSON.stringify({ refused: error.message, processes }));
} finally {
  rmSync(folder, { recursive: true });
}
