// Is what IPVS mode leaves found and taken away at once? On this host's kernel, which need not have IPVS.
import "../support/enter-sandbox.ts";

import { execa } from "execa";
import t from "tap";
import { ownSetNames } from "../../src/backends/own-sets.ts";
import { removeLeftover } from "../../src/commands/cleanup.ts";
import { IPVS_LEFTOVERS } from "../../src/commands/ipvs-leftovers.ts";
import { CollectedOutput } from "../support/collected-output.ts";
import { ipset, ipsetSkipReason } from "../support/ipset-tool.ts";
import { sandboxEnvironment } from "../support/sandbox.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(60_000);

const skip = ipsetSkipReason();

const env = sandboxEnvironment();

const SETS = ["create KUBE-IPVS-IPS hash:ip", "create KUBE-6-IPVS-IPS hash:ip family inet6", "create OTHER hash:ip"];

/** Goes through all kinds, as clean-up does. */
async function removeAll(dryRun: boolean) {
  const output = new CollectedOutput();
  const outcomes: boolean[] = [];
  for (const leftover of IPVS_LEFTOVERS) outcomes.push(await removeLeftover(leftover, { output, dryRun }));
  return { text: output.text, notes: output.notes, outcomes };
}

t.test("both families' sets have names of their own, none too long for the kernel", async (t) => {
  const names = [...ownSetNames("IPv4"), ...ownSetNames("IPv6")];
  t.equal(new Set(names).size, 40, "nineteen and a scratch set for each family");
  t.ok(names.every((name) => name.length <= 31));
});

t.test("sets of both families go, others stay", { skip }, async (t) => {
  t.teardown(() => ipset(["destroy"]));
  ipset(["restore"], `${SETS.join("\n")}\n`);
  t.match(await removeAll(true), { text: "- ipset KUBE-IPVS-IPS\n- ipset KUBE-6-IPVS-IPS\n", notes: [] });
  t.match(ipset(["list", "-n"]), /KUBE-IPVS-IPS\n/, "a dry run changes nothing");
  t.same(await removeAll(false), { text: "", notes: [], outcomes: [true, true, true] });
  t.equal(ipset(["list", "-n"]), "OTHER\n");
  t.same(await removeAll(false), { text: "", notes: [], outcomes: [true, true, true] }, "twice is no harm");
});

t.test("a set that somebody's rule refers to stays, and that is told", { skip }, async (t) => {
  const rule = ["OUTPUT", "-m", "set", "--match-set", "KUBE-IPVS-IPS", "dst"];
  t.teardown(() => ipset(["destroy"]));
  t.teardown(() => execa("iptables", ["-D", ...rule], { env }));
  ipset(["restore"], `${SETS.join("\n")}\n`);
  await execa("iptables", ["-A", ...rule], { env });
  const { notes, outcomes } = await removeAll(false);
  t.match(notes, [/^ipset: ipset destroy KUBE-IPVS-IPS: /]);
  t.same(outcomes, [true, true, false]);
  t.equal(ipset(["list", "-n"]), "KUBE-IPVS-IPS\nOTHER\n", "the other one went all the same");
});

t.test("an interface of that name that is no dummy stays, and that is told", { skip }, async (t) => {
  await execa("ip", ["link", "add", "kube-ipvs0", "type", "bridge"], { env });
  t.teardown(() => execa("ip", ["link", "del", "kube-ipvs0"], { env }));
  t.match(await removeAll(true), { text: "- interface kube-ipvs0\n" });
  const { notes, outcomes } = await removeAll(false);
  t.match(notes, [/^interface: delete interface kube-ipvs0: it is not of kind dummy, so somebody else made it/]);
  t.same(outcomes, [true, false, true]);
  t.match((await execa("ip", ["-br", "link", "show", "kube-ipvs0"], { env })).stdout, /^kube-ipvs0 /);
});
