// A process that only logs: so many lines of a thousand characters, then how it went on standard output.
import { openLog } from "../../src/sync/log-output.ts";

const { logs, flush } = openLog(
  { format: "text", verbosity: 1, vmodule: [], flushFrequency: 5000, splitStream: false },
  process,
);
const log = logs("speaker.ts");
for (let line = 0; line < Number(process.argv[2]); line++) {
  log.debug(1, { line, filler: "x".repeat(1000) }, "Line");
  if (line % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
}
process.stdout.write("all said\n");
await flush();
process.exit(0);
