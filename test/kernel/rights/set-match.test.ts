// Tests the trial of whether iptables can match a set, and which families count as usable, with the real tools.
import "../../support/enter-sandbox.ts";

import { execa } from "execa";
import t from "tap";
import { KernelError } from "../../../src/errors.ts";
import type { RunCommand } from "../../../src/kernel/command.ts";
import { changeSets, findSets } from "../../../src/kernel/ipset.ts";
import { setMatchTrouble } from "../../../src/kernel/ipvs-support.ts";
import { machine } from "../../../src/kernel/kernel.ts";
import { FAMILIES } from "../../../src/net/family.ts";
import { VARIANTS, variantEnvironment, variantSkip } from "../../support/iptables-variant.ts";
import { commandHere } from "../../support/namespace-command.ts";
import { privilege, skipReason } from "../../support/sandbox.ts";
import { limitTime } from "../../support/time-limit.ts";

limitTime(120_000);

const SETS = ["KUBE-IX-TRIAL-inet", "KUBE-IX-TRIAL-inet6"];

const isRoot = privilege().kind === "root";

for (const variant of VARIANTS) {
  const skip = skipReason() || variantSkip(variant);
  const run = commandHere(variant);
  const saved = async () => (await execa("iptables-save", { env: variantEnvironment(variant) })).stdout;

  t.test(`${variant}: iptables can match a set, and nothing of the trial stays`, { skip }, async (t) => {
    for (const family of FAMILIES) t.equal(await setMatchTrouble(run, family), undefined, family);
    t.strictSame(await findSets(SETS), []);
    t.notMatch(await saved(), /TRIAL/);
  });

  t.test(`${variant}: what a killed trial left is no obstacle and goes`, { skip }, async (t) => {
    await changeSets([{ kind: "create", set: { name: "KUBE-IX-TRIAL-inet", type: "hash:ip", family: "inet" } }]);
    await execa("iptables", ["-N", "KUBE-IX-TRIAL"], { env: variantEnvironment(variant) });
    t.equal(await setMatchTrouble(run, "IPv4"), undefined);
    t.strictSame(await findSets(SETS), []);
    t.notMatch(await saved(), /TRIAL/);
  });

  t.test(`${variant}: iptables that fails without a set match too tells nothing about sets`, { skip }, async (t) => {
    const refuse: RunCommand = ({ program }) =>
      Promise.reject(new KernelError({ step: program, target: "", code: "4", words: "the xtables lock is held" }));
    t.equal(await setMatchTrouble(refuse, "IPv4"), undefined);
    t.strictSame(await findSets(SETS), []);
  });
}

const skipNft = skipReason() || variantSkip("nft") || (!isRoot && "only root can drop capabilities one by one");

t.test("nft: without CAP_NET_RAW iptables cannot match a set, and says what it needs", { skip: skipNft }, async (t) => {
  const bare = ["--bounding-set=-net_raw", "--inh-caps=-all"];
  const run: RunCommand = ({ program, args, ...rest }) =>
    commandHere("nft")({ program: "setpriv", args: [...bare, program, ...args], ...rest });
  t.match(await setMatchTrouble(run, "IPv4"), /cannot match an ipset: .*Can't open socket to ipset\..*; .* NET_RAW/);
  t.strictSame(await findSets(SETS), []);
  await execa("ipset", ["create", "foreign", "hash:ip"]);
  const rule = ["-t", "nat", "-A", "POSTROUTING", "-m", "set", "--match-set", "foreign", "src", "-j", "RETURN"];
  await execa("iptables-nft", rule);
  await t.rejects(run({ program: "iptables", args: ["-S", "POSTROUTING", "-t", "nat"] }), /Can't open socket to ipset/);
  t.match((await machine(run).facts()).families, ["IPv4"], "a family whose nat table cannot be printed is usable");
});

t.test("a set that the kernel does not create is the reason", { skip: skipReason() || !isRoot }, async (t) => {
  await execa("ipset", ["create", "KUBE-IX-TRIAL-inet", "hash:ip"]);
  await execa("iptables", ["-A", "OUTPUT", "-m", "set", "--match-set", "KUBE-IX-TRIAL-inet", "dst", "-j", "RETURN"]);
  t.match(await setMatchTrouble(commandHere("nft"), "IPv4"), /KUBE-IX-TRIAL-inet/);
});
