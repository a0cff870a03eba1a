// Does the machine that has a kernel with IPVS keep its word, and what do shorter tests say on it?
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import t from "tap";
import { isOfDaemon, testInGuest } from "../support/in-guest.ts";
import { comesTo, machines, startMachine } from "../support/machines.ts";
import { limitTime } from "../support/time-limit.ts";
import { runInVm, vmReason } from "../support/vm.ts";

limitTime(890_000);

const SCRIPTS = fileURLToPath(new URL("../../scripts/vm", import.meta.url));

const skip = vmReason();

// Those that take longest have a machine of their own, so that each of two processors has one.
t.test("in the guest", { skip }, (t) => testInGuest(t, "vm", (name) => !isOfDaemon(name)));

t.test("a command of the guest is as on the host", { skip }, async (t) => {
  const folder = t.testdir();
  const program =
    'seq 200000; pwd >&2; printf \'%s|\' "$@" >&2; echo kept >"$0/note"; echo lost >/etc/fairlead-note; exit 7';
  const args = ["a b", "it's", "", "two\nlines\n", "$HOME"];
  const command = ["sh", "-c", program, folder, ...args];
  const { exitCode, stdout, stderr } = await runInVm(command, { timeout: 60, out: folder });
  t.equal(exitCode, 7, "its exit code comes back");
  t.equal(stdout, Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join(""), "its output is whole");
  t.equal(stderr, `${process.cwd()}\n${args.join("|")}|`, "folder and arguments are its own, and errors stand apart");
  t.equal(readFileSync(`${folder}/note`, "utf8"), "kept\n", "what it writes to the folder of the host stays");
  t.notOk(existsSync("/etc/fairlead-note"), "all else goes with the guest");
});

t.test("a command that takes too long is ended, and its machine with it", { skip }, async (t) => {
  const folder = t.testdir();
  const { exitCode, stderr } = await runInVm(["sleep", "1000"], { timeout: 1, out: folder });
  t.equal(exitCode, 124);
  t.match(stderr, /no end within 1 seconds/);
  t.same(machines(folder), []);
});

t.test("a machine ends with whoever started it", { skip }, async (t) => {
  const folder = t.testdir();
  const { shell } = await startMachine(folder);
  shell.kill("SIGKILL");
  t.ok(await comesTo(folder, 0));
});

for (const [name, signal] of [
  ["asked", "SIGTERM"],
  ["killed", "SIGKILL"],
] as const) {
  t.test(`a machine ends with its script, when that is ${name}`, { skip }, async (t) => {
    const folder = t.testdir();
    const { script } = await startMachine(folder);
    process.kill(script, signal);
    t.ok(await comesTo(folder, 0));
  });
}

t.test("who may not fetch is told what is missing", async (t) => {
  const folder = t.testdir();
  mkdirSync(join(folder, "scripts/vm"), { recursive: true });
  for (const name of ["fetch.sh", "init"]) copyFileSync(join(SCRIPTS, name), join(folder, "scripts/vm", name));
  const { exitCode, stderr } = await execa(join(folder, "scripts/vm/fetch.sh"), ["--check"], { reject: false });
  t.equal(exitCode, 1);
  t.match(stderr, /is missing|root has not run/);
  t.same(readdirSync(folder), ["scripts"], "and nothing was made");
});

t.test("a guest that does not come up says so", { skip }, async (t) => {
  const folder = t.testdir({ scripts: { vm: {} }, ".vm": { root: {} } });
  for (const name of ["run.sh", "guest.sh"]) copyFileSync(join(SCRIPTS, name), join(folder, "scripts/vm", name));
  writeFileSync(join(folder, "scripts/vm/fetch.sh"), "#!/bin/sh\n", { mode: 0o755 });
  const { exitCode, stderr } = await execa(join(folder, "scripts/vm/run.sh"), ["true"], { reject: false });
  t.equal(exitCode, 125);
  t.match(stderr, /could not (load|open) kernel[\s\S]*the guest did not run the command/);
});
