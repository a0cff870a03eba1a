import t from "tap";
import { ALL_FLAGS } from "../../src/options/flags.ts";
import { logFlags } from "../../src/sync/flag-lines.ts";
import { createLog } from "../../src/sync/log.ts";
import { Verbosity } from "../../src/sync/verbosity.ts";

function linesAt(level: number): readonly string[] {
  const lines: string[] = [];
  const logs = createLog("text", (line) => lines.push(line), { verbosity: new Verbosity(level) });
  logFlags(new Map([["hostname-override", ['a "b"']]]), logs("daemon.ts"));
  return lines;
}

t.test("at verbosity 1 each flag has its line, as kube-proxy writes it", async (t) => {
  const lines = linesAt(1);
  t.equal(lines.length, ALL_FLAGS.length);
  t.match(lines[0], /^I\d{4} \S+ +\d+ daemon\.ts:\d+\] FLAG: --bind-address="0\.0\.0\.0"\n$/);
  t.ok(lines.some((line) => line.endsWith('] FLAG: --hostname-override="a \\"b\\""\n')));
});

t.test("at verbosity 0 nothing is said of flags", async (t) => {
  t.strictSame(linesAt(0), []);
});
