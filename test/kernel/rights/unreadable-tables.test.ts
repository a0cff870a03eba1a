// Runs the daemon on a node where iptables cannot print table nat because of a rule of other software.
import "../../support/enter-sandbox.ts";

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { makeFollowedNode, manifestOf } from "../../support/followed-node.ts";
import { inNamespace, type Variant, variantSkip } from "../../support/iptables-variant.ts";
import { configure } from "../../support/netns.ts";
import { skipReason } from "../../support/sandbox.ts";
import { Talker } from "../../support/talker.ts";
import { limitTime } from "../../support/time-limit.ts";

limitTime(400_000);

const [OLD, NEW] = ["10.244.1.1", "10.244.1.2"];

/** Where distributions install the extensions of iptables. */
const DIRECTORIES = [
  "/usr/lib/x86_64-linux-gnu/xtables",
  "/usr/lib/aarch64-linux-gnu/xtables",
  "/usr/lib64/xtables",
  "/usr/lib/xtables",
];
const installed = DIRECTORIES.find((path) => existsSync(path));

/** The copy of them that the daemon uses. */
const COPY = "/run/fairlead-xtables";
const CONNLIMIT = join(COPY, "libxt_connlimit.so");

interface Cause {
  readonly name: string;
  readonly variant: Variant;
  readonly layout: "Compat" | "Indexed";
  /** Commands of the other software that make table nat unreadable, and that make it readable again. */
  readonly poison: readonly (readonly string[])[];
  readonly cure: readonly (readonly string[])[];
  /** The daemon's iptables lacks the extension of the rule until the cure. */
  readonly lacksExtension?: true;
  /** What the log says. */
  readonly words: RegExp;
  /** How often a jump stands in a base chain at most. */
  readonly jumps: number;
}

const NFT = {
  variant: "nft",
  poison: [
    ["nft", "add chain ip nat OTHERS"],
    ["nft", "add rule ip nat OTHERS meta mark set numgen inc mod 3"],
  ],
  cure: [["nft", "flush chain ip nat OTHERS"]],
  words: /err="Table `nat' is incompatible, use 'nft' tool\.; move the rules/,
  jumps: 1,
} as const;

const connlimit = (verb: string) => [
  ["iptables", "-w", "5", "-t", "nat", verb, "PREROUTING", "-m", "connlimit", "--connlimit-above", "9", "-j", "RETURN"],
];

const CAUSES: readonly Cause[] = [
  { ...NFT, name: "nft, Compat: a rule that only nft can express", layout: "Compat" },
  { ...NFT, name: "nft, Indexed: a rule that only nft can express", layout: "Indexed" },
  {
    name: "nft: a rule above our jump whose extension is not installed",
    variant: "nft",
    layout: "Compat",
    poison: connlimit("-I"),
    cure: [],
    lacksExtension: true,
    words: /match extension not found.*; install the iptables extension of that rule"/,
    jumps: 2,
  },
  {
    name: "legacy: a rule whose extension is not installed",
    variant: "legacy",
    layout: "Compat",
    poison: connlimit("-I"),
    cure: [],
    lacksExtension: true,
    words: /Can't find library for match `connlimit'; install/,
    jumps: 1,
  },
];

for (const cause of CAUSES) {
  const isMissing = cause.lacksExtension === true && installed === undefined;
  const missing = isMissing && `no iptables extensions in ${DIRECTORIES.join(", ")}`;
  t.test(cause.name, { skip: skipReason() || variantSkip(cause.variant) || missing }, (t) => testCause(t, cause));
}

async function testCause(t: Test, { variant, layout, poison, cure, lacksExtension, words, jumps }: Cause) {
  const followed = await makeFollowedNode(t, variant, (config) =>
    config.replace("iptables: {", `iptables: {layout: ${layout}, `),
  );
  const { node, env } = followed;
  const say = (command: readonly string[]) => inNamespace(node, command, { env });
  await configure(node.name, [
    ...["192.0.2.10/24", `${OLD}/32`, `${NEW}/32`].map((address) => `addr add ${address} dev lo`),
    // Without rules a connection is refused at once.
    "route add local 10.96.0.0/16 dev lo src 192.0.2.10",
  ]);
  const talker = new Talker(node.path);
  t.teardown(() => talker.stop());
  for (const address of [OLD, NEW]) await talker.serve({ address, port: 8080 });

  followed.show([1, 2, 3].map((number) => manifestOf(number, OLD)).join(""));
  const before = followed.start();
  await followed.settled(t, "at first");
  t.equal(await before.stop(), 0);
  const stale = (await followed.saved("IPv4"))
    .find((line) => /^:KUBE-(?:IX-)?SVC-/.test(line))
    ?.split(" ")[0]
    ?.slice(1);
  const inKernel = async (chain = "") => {
    const args = ["-w", "5", "-t", "nat", "-S", chain];
    return spawnSync("nsenter", [`--net=${node.path}`, "iptables", ...args], { env, encoding: "utf8" }).stdout;
  };
  const countJumps = async () => (await inKernel("PREROUTING")).split("-j KUBE-SERVICES").length - 1;

  for (const command of poison) await say(command);
  if (lacksExtension && installed) {
    rmSync(COPY, { recursive: true, force: true });
    cpSync(installed, COPY, { recursive: true, verbatimSymlinks: true });
    renameSync(CONNLIMIT, `${CONNLIMIT}.hidden`);
  }
  const restarted = followed.start(lacksExtension ? { ...env, XTABLES_LIBDIR: COPY } : env);
  followed.show(manifestOf(1, NEW));
  await reaches(t, talker, 1, NEW);
  t.match(await restarted.said(/"Cannot read tables; /), [words], "logged once, with the words of the tool");
  followed.show(manifestOf(1, NEW) + manifestOf(4, OLD));
  await reaches(t, talker, 4, OLD);
  await reaches(t, talker, 1, NEW);
  await say(["iptables", "-w", "5", "-t", "nat", "-D", ...(await jumpOf("OUTPUT"))]);
  await reaches(t, talker, 4, OLD, "the jump in OUTPUT is inserted again");
  t.equal(await countJumps(), jumps, "no jump is inserted at each sync");
  t.match(await inKernel(stale), `-N ${stale}`, "nothing is deleted that may be stale");
  t.equal(restarted.lines.filter((line) => line.includes("Cannot read tables")).length, 1);

  if (lacksExtension) renameSync(`${CONNLIMIT}.hidden`, CONNLIMIT);
  for (const command of cure) await say(command);
  await restarted.said(/^I.*"Tables can be read again; compared all rules" ipFamily="IPv4" tables="nat"/);
  await followed.settled(t, "readable again");
  t.equal(await countJumps(), 1);
  t.equal(await restarted.stop(), 0);

  async function jumpOf(chain: string): Promise<readonly string[]> {
    const line = (await inKernel(chain)).split("\n").find((each) => each.includes("-j KUBE-SERVICES")) ?? "";
    return [chain, "-m", "comment", "--comment", /"(.*)"/.exec(line)?.[1] ?? "", "-j", "KUBE-SERVICES"];
  }
}

/** Waits until the endpoint answers at the cluster IP of the Service. */
async function reaches(t: Test, talker: Talker, service: number, endpoint: string, name?: string): Promise<void> {
  const answer = await talker.reach({ address: `10.96.100.${service}`, port: 80 }, endpoint);
  t.match(answer, endpoint, name ?? `Service ${service} is served by ${endpoint}`);
}
