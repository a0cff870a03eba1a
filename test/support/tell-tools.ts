// Which tools are found here, and through how many processes? Prints it as JSON.
import { KernelError } from "../../src/errors.ts";
import { type RunCommand, runCommand } from "../../src/kernel/command.ts";
import { detectTools } from "../../src/kernel/iptables-variant.ts";

let processes = 0;
const counted: RunCommand = (command) => {
  processes += 1;
  return runCommand(command);
};
try {
  console.log(JSON.stringify({ tools: await detectTools(counted), processes }));
} catch (error) {
  if (!(error instanceof KernelError)) throw error;
  console.log(JSON.stringify({ refused: error.message, processes }));
}
