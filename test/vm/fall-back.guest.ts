// Is it told rightly what a real kernel lacks for IPVS mode, when its modules are put out of reach one by one?
import { renameSync } from "node:fs";
import { release } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import t, { type Test } from "tap";
import { runCommand } from "../../src/kernel/command.ts";
import { type IpvsSupport, ipvsSupport } from "../../src/kernel/ipvs-support.ts";
import { removeDevice } from "../../src/kernel/link.ts";
import { Daemon } from "../support/daemon.ts";
import { guestProgram } from "../support/guest-program.ts";

const MODULES = `/lib/modules/${release()}/kernel`;

async function support(scheduler = "rr"): Promise<IpvsSupport> {
  return ipvsSupport({ run: runCommand }, scheduler);
}

/** Takes modules out of the kernel; namespaces that have ended just now may still hold them. */
async function unload(names: readonly string[]): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { exitCode, stderr } = await execa("rmmod", names, { reject: false });
    if (exitCode === 0 || /not (currently )?loaded|No such file/.test(stderr)) return;
    if (tries === 50) throw new Error(stderr);
    await sleep(200);
  }
}

/** Out of the kernel, and out of its reach until the test ends. */
async function putAway(t: Test, module: string, loaded: readonly string[]): Promise<void> {
  const path = `${MODULES}/${module}.ko`;
  renameSync(path, `${path}.away`);
  t.teardown(() => renameSync(`${path}.away`, path));
  for (const name of loaded) await unload([name]);
}

/** Modules of which the names begin so, the youngest first: nothing else uses those. */
async function loaded(prefix: string): Promise<readonly string[]> {
  const { stdout } = await execa("lsmod");
  const names = stdout.split("\n").map((line) => line.split(" ")[0] ?? "");
  return names.filter((name) => name.startsWith(prefix));
}

t.test("a kernel that has all, and what the trial leaves", async (t) => {
  t.strictSame(await support(), { kind: "usable" });
  t.strictSame(await support("mh"), { kind: "usable" }, "a scheduler's module is loaded when it is tried");
  t.equal((await execa("ipvsadm", ["-Sn"])).stdout, "", "no trial is left");
  t.match((await execa("ip", ["-br", "link", "show", "kube-ipvs0"])).stdout, /^kube-ipvs0 +DOWN/);
});

t.test("a scheduler that nobody knows", async (t) => {
  t.match(await support("twos"), { part: "SchedulerMissing", words: "the kernel has no scheduler twos" });
  t.equal((await execa("ipvsadm", ["-Sn"])).stdout, "");
});

t.test("without dummies", async (t) => {
  await removeDevice();
  await putAway(t, "drivers/net/dummy", ["dummy"]);
  t.match(await support(), { part: "DummyMissing" });
});

t.test("without one type of set", async (t) => {
  await putAway(t, "net/netfilter/ipset/ip_set_hash_ipportnet", ["ip_set_hash_ipportnet"]);
  t.match(await support(), { part: "IPSetMissing", words: "the kernel has no sets of type hash:ip,port,net" });
});

t.test("without IPVS", async (t) => {
  await putAway(t, "net/netfilter/ipvs/ip_vs", ["xt_ipvs", ...(await loaded("ip_vs_")), "ip_vs"]);
  t.match(await support(), { part: "FamilyMissing" });
});

t.test("without sets the other layout of iptables mode serves, and says why", async (t) => {
  await putAway(t, "net/netfilter/ipset/ip_set", ["xt_set", ...(await loaded("ip_set_")), "ip_set"]);
  const flags = ["run", "--iptables-layout", "Indexed", "--manifests", "/dev/null", "--conntrack-max-per-core", "0"];
  const daemon = new Daemon(flags, { path: "/proc/self/ns/net" }, process.env, guestProgram());
  t.teardown(() => daemon.stop("SIGKILL"));
  await daemon.said(/SyncProxyRules complete/, 2);
  t.match(await daemon.said(/falling back to Compat/), [/ err="the kernel has no ipset"$/]);
  const page = await (await fetch("http://127.0.0.1:10249/rules")).json();
  t.match(page, { mode: "iptables", layout: "Compat", layoutFallback: "the kernel has no ipset" });
  t.equal(await daemon.stop(), 0);
});

t.test("with all of it again", async (t) => {
  t.strictSame(await support(), { kind: "usable" });
});

t.test("who may not administer networks does not fall back but fails", async (t) => {
  const bare = ["--bounding-set", "-net_admin", "--inh-caps", "-net_admin", ...guestProgram()];
  const flags = ["run", "--proxy-mode", "ipvs", "--manifests", "/dev/null", "--conntrack-max-per-core", "0"];
  const { exitCode, stderr } = await execa("setpriv", [...bare, ...flags], { reject: false });
  t.equal(exitCode, 1);
  t.match(stderr, /can't use the IPVS proxier: .*EPERM/);
  t.notMatch(stderr, /falling back/);
});
