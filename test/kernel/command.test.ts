import os from "node:os";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { runCommand } from "../../src/kernel/command.ts";

async function refusal(program: string, ...args: string[]) {
  try {
    await runCommand({ program, args });
  } catch (error) {
    if (error instanceof KernelError) return error.refusal;
    throw error;
  }
  throw new Error(`${program} did well`);
}

t.test("a program is given its input in pieces and its output comes back whole", async (t) => {
  const input = (function* () {
    for (let line = 0; line < 50_000; line++) yield `line ${line}\n`;
  })();
  const output = await runCommand({ program: "cat", args: [], input });
  t.equal(output.split("\n").length, 50_001);
  t.equal(await runCommand({ program: "cat", args: [] }), "", "without input there is an end at once");
});

t.test("a program that fails is told in its own words", async (t) => {
  const said = await refusal("sh", "-c", "echo 'line 3 failed' >&2; exit 4");
  t.match(said, { step: "sh", target: "-c echo 'line 3 failed' >&2; exit 4", code: "4", words: "line 3 failed" });
  t.match(await refusal("sh", "-c", "exit 3"), { code: "3", words: /exit code 3/ });
});

t.test("a program that is killed or missing is told as that", async (t) => {
  t.match(await refusal("sh", "-c", "kill -9 $$"), { code: "SIGKILL" });
  t.match(await refusal("no-such-program"), { code: "ENOENT", words: /ENOENT/ });
});

t.test("a program that nobody waits for lets all others go first", async (t) => {
  const niceness = async (unhurried: boolean) =>
    // The pause is for the priority, which is set once the program runs.
    (await runCommand({ program: "sh", args: ["-c", "sleep 0.2; cut -d' ' -f19 /proc/self/stat"], unhurried })).trim();
  t.equal(await niceness(true), "19");
  t.equal(await niceness(false), String(os.getPriority()));
});

t.test("a reader that does not read its input to the end is told by its exit code", async (t) => {
  const input = Array.from({ length: 100_000 }, () => "much text that nobody reads\n");
  try {
    await runCommand({ program: "sh", args: ["-c", "exit 2"], input });
    t.fail("went well");
  } catch (error) {
    t.match(error, { refusal: { code: "2" } });
  }
});

t.test("a fault of ours in writing the input is no refusal", async (t) => {
  const input = (function* () {
    yield "one line\n";
    throw new RangeError("a word is missing");
  })();
  await t.rejects(runCommand({ program: "cat", args: [], input }), {
    name: "RangeError",
    message: "a word is missing",
  });
});
