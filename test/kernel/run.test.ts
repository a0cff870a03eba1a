// Does the daemon itself keep a real kernel as the files say, from start to clean-up?
import "../support/enter-sandbox.ts";

import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { Daemon } from "../support/daemon.ts";
import { FIXTURES } from "../support/golden.ts";
import { inNamespace, VARIANTS, type Variant, variantEnvironment, variantSkip } from "../support/iptables-variant.ts";
import { makeNetns, removeNetns } from "../support/netns.ts";
import { built, SOURCES } from "../support/program.ts";
import { skipReason } from "../support/sandbox.ts";

const skip = skipReason();
t.setTimeout(300_000);

const CLUSTER = readFileSync(join(FIXTURES, "clusters/s09-nodeport-cluster-policy/cluster.yaml"), "utf8");
const DONE = /"SyncProxyRules complete" ipFamily="IPv4"/;

// What other software has on a node: none of it may be touched.
const FOREIGN = `*filter
:DOCKER-USER - [0:0]
:KUBE-FIREWALL - [0:0]
-A INPUT -j KUBE-FIREWALL
-A FORWARD -j DOCKER-USER
-A OUTPUT -j KUBE-FIREWALL
-A DOCKER-USER -j RETURN
COMMIT
*mangle
:KUBE-IPTABLES-HINT - [0:0]
:KUBE-KUBELET-CANARY - [0:0]
COMMIT
*nat
:CNI-HOSTPORT-DNAT - [0:0]
-A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT
-A CNI-HOSTPORT-DNAT -p tcp -m tcp --dport 8088 -j DNAT --to-destination 10.244.0.8:80
COMMIT
`;

async function setUp(t: Test, variant: Variant) {
  const node = await makeNetns("run");
  t.teardown(() => removeNetns(node));
  const env = variantEnvironment(variant);
  // The sources take three times as long to start; one variant is enough for coverage.
  const program = variant === "nft" ? SOURCES : built();
  const folder = mkdtempSync("/run/fairlead-manifests-");
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "cluster.yaml");
  const save = async (tool = "iptables") =>
    (await inNamespace(node, [`${tool}-save`], { env })).split("\n").filter((line) => !line.startsWith("#"));
  const start = () => {
    const flags = ["--manifests", folder, "--cluster-cidr", "10.244.0.0/16", "--hostname-override", "worker-a"];
    // The size of conntrack's table is the machine's alone.
    flags.push("--conntrack-max-per-core=0");
    const daemon = new Daemon(["run", ...flags], node, env, program);
    t.teardown(() => daemon.stop("SIGKILL"));
    return daemon;
  };
  const restore = (input: string) => inNamespace(node, ["iptables-restore", "--noflush"], { env, input });
  const cleanup = (...flags: string[]) => new Daemon(["cleanup", ...flags], node, env, program).finish();
  return { file, folder, save, start, restore, cleanup, node, env };
}

for (const variant of VARIANTS) {
  t.test(`through ${variant}`, { skip: skip || variantSkip(variant) }, async (t) => {
    await t.test("start, change, fault, stop, start again, clean up", (t) => live(t, variant));
    await t.test("manifests that vanish take no rule with them", (t) => missingPath(t, variant));
    await t.test("a chain that somebody else uses is emptied, and the rest goes", (t) => foreignJump(t, variant));
  });
}

async function live(t: Test, variant: Variant): Promise<void> {
  const { file, folder, save, start, restore, cleanup } = await setUp(t, variant);
  await restore(FOREIGN);
  const before = await save();
  const before6 = await save("ip6tables");
  writeFileSync(file, CLUSTER);
  const daemon = start();
  await daemon.said(DONE);
  t.match((await save()).join("\n"), /-j DNAT --to-destination 10\.244\.1\.22:8080/, "converges at start");

  const changed = CLUSTER.replaceAll("10.244.1.22", "10.244.1.99");
  writeFileSync(join(folder, "next"), changed);
  renameSync(join(folder, "next"), file);
  await daemon.said(DONE, 2);
  const after = await save();
  t.match(after.join("\n"), /10\.244\.1\.99:8080/, "follows a file that is replaced");
  t.notMatch(after.join("\n"), /10\.244\.1\.22/);

  writeFileSync(file, `${changed}\n---\nkind: [broken\n`);
  t.match(await daemon.said(/"Ignoring invalid input"/), [
    /cluster\.yaml: document \d+: invalid YAML: line \d+, column \d+/,
  ]);
  t.strictSame(await save(), after, "a fault in the file changes nothing");

  t.equal(await daemon.stop(), 0, "SIGTERM ends it well");
  t.strictSame(await save(), after, "and leaves the rules in place");

  writeFileSync(file, changed);
  await restore("*nat\n-A KUBE-SVC-G4HOO62H5EGULDOP -j RETURN\nCOMMIT\n");
  const again = start();
  t.match(await again.said(DONE), [/steps=1/], "an edit made meanwhile is undone");
  t.strictSame(await save(), after);
  await again.stop();
  const third = start();
  t.match(
    await third.said(DONE),
    [/steps=0/],
    "a start over correct rules changes nothing, and logs that it is complete",
  );
  await third.stop();

  const dry = await cleanup("--dry-run");
  t.match(dry.output, /- IPv4 nat :KUBE-SERVICES\n/);
  t.strictSame(await save(), after, "a dry run only says what would go");
  t.equal((await cleanup()).code, 0);
  t.strictSame(withoutFirewall(await save()), withoutFirewall(before), "cleaned up, nothing but KUBE-FIREWALL is left");
  t.strictSame(withoutEmptyTables(withoutFirewall(await save("ip6tables"))), withoutEmptyTables(before6));
}

async function missingPath(t: Test, variant: Variant): Promise<void> {
  const { file, folder, save, start } = await setUp(t, variant);
  writeFileSync(file, CLUSTER);
  const daemon = start();
  await daemon.said(DONE);
  const before = await save();
  renameSync(folder, `${folder}-away`);
  await daemon.said(/"Ignoring invalid input" err="[^"]*no such file or directory"/);
  t.strictSame(await save(), before, "a path that vanishes takes no rule with it");
  t.equal(await daemon.stop(), 0);

  const again = start();
  t.equal((await again.finish()).code, 1, "at the start it is an error");
  t.match(again.lines.at(-1), /--manifests: .*no such file or directory/);
  t.strictSame(await save(), before, "and the rules stay");
  renameSync(`${folder}-away`, folder);
}

async function foreignJump(t: Test, variant: Variant): Promise<void> {
  const { file, save, start, restore, cleanup } = await setUp(t, variant);
  writeFileSync(file, CLUSTER);
  const daemon = start();
  await daemon.said(DONE);
  await daemon.stop();
  await restore("*nat\n:CNI-X - [0:0]\n-A CNI-X -j KUBE-MARK-MASQ\nCOMMIT\n");
  const { code } = await cleanup();
  t.equal(code, 0);
  const left = (await save()).filter((line) => /KUBE-(?!FIREWALL)/.test(line));
  t.strictSame(
    left.map((line) => line.replace(/ \[\d+:\d+\]/, "")),
    [":KUBE-MARK-MASQ -", "-A CNI-X -j KUBE-MARK-MASQ"],
  );
}

/** KUBE-FIREWALL is shared with kubelet; clean-up leaves it as it is. */
function withoutFirewall(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !/KUBE-FIREWALL/.test(line)).map((line) => line.replace(/ \[\d+:\d+\]/, ""));
}

/** Tables that were looked into exist from then on, with nothing in them. */
function withoutEmptyTables(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !/^(\*|COMMIT|$|:\S+ ACCEPT)/.test(line));
}
