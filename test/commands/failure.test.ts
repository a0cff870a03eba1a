import t from "tap";
import { FatalError, reportDaemonFailure, reportFailure, UsageError, wrongUsage } from "../../src/commands/failure.ts";
import { KernelError } from "../../src/errors.ts";
import { CollectedOutput } from "../support/collected-output.ts";

t.test("usage and input have 2, all else has 1; a fault of ours shows where", async (t) => {
  const output = new CollectedOutput();
  t.equal(reportFailure(wrongUsage("Unknown argument: x"), output), 2);
  t.equal(reportFailure(new KernelError({ step: "s", target: "t", code: "1", words: "no" }), output), 1);
  t.equal(reportFailure(new TypeError("a bug"), output), 1);
  t.match(output.notes, [
    /^fairlead: Unknown argument: x\. See fairlead --help$/,
    /^fairlead: s t: no$/,
    /^fairlead: TypeError: a bug\n {4}at /,
  ]);
});

t.test("the daemon has 1 for all: a plain line for its command line, a record for the rest", async (t) => {
  const output = new CollectedOutput();
  t.equal(reportDaemonFailure(new UsageError("flags", "unknown flag: --x"), output), 1);
  t.equal(reportDaemonFailure(new FatalError("it cannot be"), output), 1);
  const refusal = new KernelError({ step: "s", target: "t", code: "1", words: "no" });
  t.equal(reportDaemonFailure(new Error("it was refused", { cause: refusal }), output), 1);
  t.equal(reportDaemonFailure(new TypeError("a bug"), output), 1);
  t.match(output.notes, [
    /^Error: unknown flag: --x$/,
    /^E\d{4} .*\] "command failed" err="it cannot be"$/,
    /"command failed" err="it was refused"$/,
    /^E\d{4} .*\] "command failed" err=<\n\tTypeError: a bug\n\t {4}at /,
  ]);
});
