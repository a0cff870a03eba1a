// Is the right one of two variants found? By what real tools leave in a kernel, and by stand-ins for what is not here.
import "../support/enter-sandbox.ts";

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { type RunCommand, runCommand } from "../../src/kernel/command.ts";
import { detectTools, readLegacyTables, throughTools } from "../../src/kernel/iptables-variant.ts";
import { VARIANTS, variantSkip } from "../support/iptables-variant.ts";
import { inNewNetns } from "../support/new-netns.ts";
import { refusalOf } from "../support/refusal.ts";
import { skipReason } from "../support/sandbox.ts";

const skip = skipReason() || VARIANTS.map(variantSkip).find((reason) => reason !== false) || false;

/** What was run beforehand, the answer, and how many processes it may cost. */
const KERNELS: readonly [name: string, before: readonly string[], answer: string, processes: number][] = [
  ["nobody was there", [], "nft", 0],
  ["kubelet's hint, through nft", ["iptables-nft -t mangle -N KUBE-IPTABLES-HINT"], "nft", 0],
  [
    "kubelet's hint through nft, and more rules through legacy",
    ["ip6tables-nft -t mangle -N KUBE-IPTABLES-HINT", "iptables-legacy -A INPUT -j ACCEPT"],
    "nft",
    2,
  ],
  ["kubelet's hint, through legacy", ["iptables-legacy -t mangle -N KUBE-IPTABLES-HINT"], "legacy", 3],
  ["an old kubelet's canary in IPv6", ["ip6tables-legacy -t mangle -N KUBE-KUBELET-CANARY"], "legacy", 3],
  ["the hint in another table", ["iptables-legacy -t nat -N KUBE-IPTABLES-HINT"], "nft", 5],
  ["more rules through legacy", ["iptables-legacy -A INPUT -j ACCEPT"], "legacy", 5],
  ["as many through either", ["iptables-legacy -A INPUT -j ACCEPT", "ip6tables-nft -A INPUT -j ACCEPT"], "nft", 5],
];

for (const [name, before, answer, most] of KERNELS) {
  t.test(`${name}: ${answer}`, { skip }, async (t) => {
    const told = await inNewNetns(before, new URL("../support/tell-tools.ts", import.meta.url));
    t.equal(told.tools, answer);
    t.ok(Number(told.processes) <= most, `${told.processes} processes`);
  });
}

t.test("tables that iptables-legacy does not show without its rights are no empty ones", { skip }, async (t) => {
  const before = ["iptables-legacy -t mangle -N KUBE-IPTABLES-HINT"];
  const told = await inNewNetns(before, new URL("../support/tell-tools.ts", import.meta.url), ["-net_raw"]);
  t.match(told.refused, /iptables-legacy-save -t mangle: .*[Pp]ermission denied/);
});

function programs(...names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const name of names) {
    writeFileSync(join(folder, name), "#!/bin/true\n");
    chmodSync(join(folder, name), 0o755);
  }
  return `/nowhere::${folder}`;
}

const NFT = "iptables-nft-restore";
const LEGACY = "iptables-legacy-restore";
const refuse: RunCommand = ({ program }) =>
  Promise.reject(new KernelError({ step: program, target: "", code: "1", words: "no" }));
const unheard: RunCommand = () => Promise.reject(new Error("nothing has to be run"));

t.test("the only variant that is at hand is it, and no tool is asked", async (t) => {
  t.equal(await detectTools(unheard, { path: programs(NFT) }), "nft");
  t.equal(await detectTools(unheard, { path: programs(LEGACY) }), "legacy");
  t.equal(await detectTools(unheard, { path: programs("iptables") }), "plain");
  t.equal(await detectTools(unheard, { path: "" }), "plain");
});

t.test("who knows it goes first, where its tools are at hand", async (t) => {
  t.equal(await detectTools(unheard, { path: programs(NFT, LEGACY), known: "legacy" }), "legacy");
  t.equal(await detectTools(unheard, { path: programs(NFT), known: "legacy" }), "plain");
});

t.test("a kernel without nf_tables has legacy", async (t) => {
  t.equal(await detectTools(unheard, { path: programs(NFT, LEGACY), hasNft: async () => false }), "legacy");
});

t.test("what cannot be seen and does not work counts for nothing", async (t) => {
  const path = programs(NFT, LEGACY);
  const hasNft = async () => true;
  t.equal(await detectTools(refuse, { path, hasNft, legacyTables: async () => undefined }), "nft");
  t.match(await refusalOf(detectTools(refuse, { path, hasNft, legacyTables: async () => ["filter"] })), {
    step: "iptables-legacy-save",
  });
});

t.test("the kernel's list of tables", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  t.strictSame(await readLegacyTables("IPv4", folder), [], "its module is not loaded");
  writeFileSync(join(folder, "ip_tables_names"), "nat\nmangle\n");
  t.strictSame(await readLegacyTables("IPv4", folder), ["nat", "mangle"]);
  mkdirSync(join(folder, "ip6_tables_names"));
  t.equal(await readLegacyTables("IPv6", folder), undefined, "it cannot be read");
});

t.test("from then on these very tools are run", async (t) => {
  const ran: string[] = [];
  const run: RunCommand = async ({ program }) => {
    ran.push(program);
    return "";
  };
  const legacy = throughTools(run, "legacy");
  for (const program of ["iptables", "ip6tables", "iptables-save", "ip6tables-restore", "ip"]) {
    await legacy({ program, args: [] });
  }
  t.strictSame(ran, ["iptables-legacy", "ip6tables-legacy", "iptables-legacy-save", "ip6tables-legacy-restore", "ip"]);
  t.equal(throughTools(runCommand, "plain"), runCommand);
});
