import t from "tap";
import { reportFailure, wrongUsage } from "../../src/commands/failure.ts";
import { KernelError } from "../../src/errors.ts";
import { CollectedOutput } from "../support/collected-output.ts";

t.test("usage and input have 2, all else has 1; the daemon has 1 for all", async (t) => {
  const output = new CollectedOutput();
  t.equal(reportFailure(wrongUsage("Unknown argument: x"), false, output), 2);
  t.equal(reportFailure(wrongUsage("Unknown argument: x"), true, output), 1);
  t.equal(reportFailure(new KernelError({ step: "s", target: "t", code: "1", words: "no" }), false, output), 1);
  t.equal(reportFailure(new TypeError("a bug"), true, output), 1);
  t.match(output.notes, [
    /^fairlead: Unknown argument: x\. See fairlead --help$/,
    /^Error: Unknown argument: x\. See fairlead --help$/,
    /^fairlead: KernelError: s t: no \(1\)/,
    /^Error: TypeError: a bug\n {4}at /,
  ]);
});
