// How does the demo end? With 0 when all was as expected, else 1; and never with anything left over.
//
// Runs inside the namespaces that sandbox.mjs makes, so namespaces go with the processes in them: what has to be seen to
// is that no process stays.
import { endChildren } from "./children.mjs";
import { say } from "./screen.mjs";
import { show } from "./show.mjs";

process.on("exit", endChildren);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => leave("interrupted"));
process.on("disconnect", () => leave("the starting process is gone"));

try {
  const surprises = await show(process.argv[2] ?? "root");
  for (const surprise of surprises) say(`not as expected: ${surprise}`);
  process.exit(surprises.length === 0 ? 0 : 1);
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}

/** @param {string} why */
function leave(why) {
  console.error(`\n${why}; every namespace of the demo goes with its processes`);
  process.exit(1);
}
