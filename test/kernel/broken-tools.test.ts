// Runs the daemon with tools that are gone, replaced, kept from the lock, or refuse a rule.
import "../support/enter-sandbox.ts";

import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import type { Daemon } from "../support/daemon.ts";
import { type FollowedNode, makeFollowedNode, manifestOf } from "../support/followed-node.ts";
import { inNamespace, VARIANTS, type Variant, variantSkip } from "../support/iptables-variant.ts";
import { skipReason } from "../support/sandbox.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(240_000);

const skip = skipReason();

const GOOD = [1, 2, 3].map((number) => manifestOf(number, `10.244.1.${number}`)).join("");
const NEXT = [1, 2, 4, 5].map((number) => manifestOf(number, `10.244.2.${number}`)).join("");

/** An endpoint whose rule the kernel is made to refuse. */
const POISONED = "10.244.66.66";

for (const variant of VARIANTS) {
  const unable = skip || variantSkip(variant);
  t.test(`${variant}: tools that are gone or say nonsense`, { skip: unable }, (t) => testTools(t, variant));
  t.test(`${variant}: a rule that the kernel refuses`, { skip: unable }, (t) => testPoison(t, variant));
  t.test(`${variant}: a stale chain that somebody else's rule leads into`, { skip: unable }, (t) =>
    testStale(t, variant),
  );
}

t.test("legacy: the lock is held", { skip: skip || variantSkip("legacy") }, testLock);

/** A folder that alone is searched for programs, so that what is not in it is not there. */
function makeTools(t: Test, { env }: FollowedNode) {
  const folder = mkdtempSync("/run/fairlead-tools-");
  t.teardown(() => rmSync(folder, { recursive: true }));
  const find = (name: string) =>
    (env.PATH ?? "")
      .split(":")
      .map((path) => join(path, name))
      .find(isThere) ?? name;
  for (const name of ["setpriv", "nsenter"]) symlinkSync(find(name), join(folder, name));
  for (const name of ["iptables", "ip6tables"].flatMap((name) => [name, `${name}-save`, `${name}-restore`])) {
    symlinkSync(realpathSync(find(name)), join(folder, name));
  }
  const hidden = (name: string) => join(folder, `hidden-${name}`);
  return {
    env: { ...env, PATH: folder },
    hide: (name: string) => renameSync(join(folder, name), hidden(name)),
    unhide: (name: string) => renameSync(hidden(name), join(folder, name)),
    /** Puts a shell script in the place of a tool, all at once. */
    replace: (name: string, script: string) => {
      writeFileSync(join(folder, "next"), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, "next"), 0o755);
      renameSync(join(folder, "next"), join(folder, name));
    },
  };
}

function isThere(path: string): boolean {
  try {
    return realpathSync(path) !== "";
  } catch {
    return false;
  }
}

async function startOverGood(t: Test, followed: FollowedNode, env: NodeJS.ProcessEnv): Promise<Daemon> {
  followed.show(GOOD);
  const daemon = followed.start(env);
  await followed.settled(t, "at first");
  return daemon;
}

async function testTools(t: Test, variant: Variant): Promise<void> {
  const followed = await makeFollowedNode(t, variant);
  const tools = makeTools(t, followed);
  const daemon = await startOverGood(t, followed, tools.env);
  const before = await followed.saved("IPv4");

  tools.hide("iptables-restore");
  followed.show(NEXT);
  t.match(
    await daemon.said(/"Kernel rejected a change; the rules in the kernel stay/),
    [/code="ENOENT"/],
    "a tool that is gone is told",
  );
  t.strictSame(await followed.saved("IPv4"), before, "and nothing was changed");
  t.strictSame(
    daemon.lines.filter((line) => line.includes("quarantined")),
    [],
    "no Service is to blame",
  );
  tools.unhide("iptables-restore");
  await followed.settled(t, "the tool is back");

  followed.show(GOOD);
  await followed.settled(t, "changed again");
  tools.hide("iptables-save");
  tools.replace("iptables-save", "echo welcome");
  await inNamespace(followed.node, ["iptables", "-t", "nat", "-F", "KUBE-SERVICES"], { env: followed.env });
  const said = await daemon.said(/"Cannot read tables; .*ipFamily="IPv4"/);
  t.match(said[0], /stands outside of any table: welcome/, "what is no save text is not believed");
  tools.unhide("iptables-save");
  await followed.settled(t, "healed as soon as it can be seen");
}

async function testPoison(t: Test, variant: Variant): Promise<void> {
  const followed = await makeFollowedNode(t, variant);
  const tools = makeTools(t, followed);
  tools.hide("iptables-restore");
  // The kernel itself refuses, whatever the tool: nft names the rule, legacy only the end of the table.
  const poison = `s/(-A KUBE-SEP.*) -j DNAT --to-destination ${POISONED}:.*/\\1 -m nfacct --nfacct-name no-such -j RETURN/`;
  const real = `exec -a iptables-restore "$(dirname "$0")/hidden-iptables-restore" "$@"`;
  tools.replace(
    "iptables-restore",
    `/usr/bin/sed -E '${poison}' | /bin/bash -c '${real}' "$0" "$@"`.replace("$(dirname", "$(/usr/bin/dirname"),
  );
  const daemon = await startOverGood(t, followed, tools.env);

  followed.show(NEXT + manifestOf(3, POISONED) + manifestOf(6, POISONED));
  const said = await daemon.said(/quarantined and retried later/, 2);
  t.strictSame(
    said.map((line) => /servicePort="(.*?)"/.exec(line)?.[1]).sort(),
    ["load/s-3/TCP", "load/s-6/TCP"],
    "who is to blame is found",
  );
  const found = (await followed.saved("IPv4")).join("\n");
  for (const number of [1, 2, 4, 5]) t.match(found, `10.244.2.${number}:8080`, "all others are served as they are now");
  t.match(found, "10.244.1.3:8080", "what was served is served as it was");
  t.notMatch(found, '"load/s-6 cluster IP"', "what is new is not there");

  followed.show(NEXT + manifestOf(3, "10.244.2.3") + manifestOf(6, "10.244.2.6"));
  await followed.settled(t, "another version is taken at once");
}

async function testStale(t: Test, variant: Variant): Promise<void> {
  const followed = await makeFollowedNode(t, variant);
  const daemon = await startOverGood(t, followed, followed.env);
  const chain = /-j (KUBE-SVC-\S+)/.exec(
    (await followed.saved("IPv4")).find((line) => line.includes("load/s-3 cluster")) ?? "",
  )?.[1];
  const input = `*nat\n:CNI-X - [0:0]\n-A CNI-X -j ${chain}\nCOMMIT\n`;
  await inNamespace(followed.node, ["iptables-restore", "--noflush"], { env: followed.env, input });
  followed.show(NEXT);
  await daemon.said(/"Stale chains stay, empty/);
  await daemon.said(/"SyncProxyRules complete" ipFamily="IPv4"/, 2);
  const found = await followed.saved("IPv4");
  t.strictSame(
    found.filter((line) => line.includes(`${chain}`)),
    [`:${chain} - [0:0]`, `-A CNI-X -j ${chain}`],
    "it stays, empty, and so does the rule",
  );
  t.match(found.join("\n"), "10.244.2.5:8080", "all else is as wanted");
  t.strictSame(
    daemon.lines.filter((line) => line.includes("quarantined")),
    [],
    "no Service is to blame",
  );
  await inNamespace(followed.node, ["iptables", "-t", "nat", "-F", "CNI-X"], { env: followed.env });
  followed.show(GOOD);
  await followed.settled(t, "wanted again");
}

async function testLock(t: Test): Promise<void> {
  const followed = await makeFollowedNode(t, "legacy");
  const daemon = await startOverGood(t, followed, followed.env);
  const holder = spawn("flock", ["/run/xtables.lock", "sleep", "60"], { detached: true, stdio: "ignore" });
  const end = () =>
    holder.pid !== undefined &&
    holder.exitCode === null &&
    holder.signalCode === null &&
    process.kill(-holder.pid, "SIGKILL");
  t.teardown(end);
  const before = await followed.saved("IPv4");
  const start = Date.now();
  followed.show(NEXT);
  t.match(await daemon.said(/"Kernel rejected a change; the rules in the kernel stay/), [/code="4" err=</]);
  await daemon.said(/holding the xtables lock/);
  t.ok(Date.now() - start < 15_000, "the wait is bounded");
  t.strictSame(await followed.saved("IPv4"), before);
  t.strictSame(
    daemon.lines.filter((line) => line.includes("quarantined")),
    [],
    "no Service is to blame",
  );
  end();
  await followed.settled(t, "the lock is free");
}
