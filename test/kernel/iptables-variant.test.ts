// Chooses the iptables programs by the PATH, by what real tools leave in a kernel, and by stand-ins for what is not here.
import "../support/enter-sandbox.ts";

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import type { RunCommand } from "../../src/kernel/command.ts";
import { chooseTools, readLegacyTables, throughTools } from "../../src/kernel/iptables-variant.ts";
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
    t.strictSame(told.programs, { IPv4: `iptables-${answer}`, IPv6: `ip6tables-${answer}` });
    t.ok(Number(told.processes) <= most, `${told.processes} processes`);
  });
}

t.test("tables that iptables-legacy does not show without its rights are no empty ones", { skip }, async (t) => {
  const before = ["iptables-legacy -t mangle -N KUBE-IPTABLES-HINT"];
  const told = await inNewNetns(before, new URL("../support/tell-tools.ts", import.meta.url), ["-net_raw"]);
  t.match(told.refused, /iptables-legacy-save -t mangle: .*[Pp]ermission denied/);
});

/** A PATH with these programs; `name -> target` is a symbolic link. */
function programs(...names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const name of names) {
    const [path = "", target] = name.split(" -> ");
    if (target === undefined) writeFileSync(join(folder, path), "#!/bin/true\n", { mode: 0o755 });
    else symlinkSync(target, join(folder, path));
  }
  return `/nowhere::${folder}`;
}

const NFT = ["iptables-nft", "iptables-nft-restore", "ip6tables-nft", "ip6tables-nft-restore"];
const LEGACY = ["iptables-legacy", "iptables-legacy-restore", "ip6tables-legacy", "ip6tables-legacy-restore"];
const BOTH = [...NFT, ...LEGACY];
const WRAPPED = ["iptables-wrapper", "iptables -> iptables-wrapper", "ip6tables -> iptables-wrapper"];
const refuse: RunCommand = ({ program }) =>
  Promise.reject(new KernelError({ step: program, target: "", code: "1", words: "no" }));
const unheard: RunCommand = () => Promise.reject(new Error("no program has to be run"));
/** Programs whose `--version` says this. */
const saying =
  (words: string): RunCommand =>
  async () =>
    words;

const ON_PATH: readonly [name: string, path: readonly string[], ipv4: string, ipv6: string, reason: RegExp][] = [
  ["plain programs", ["iptables", "ip6tables", ...BOTH], "iptables", "ip6tables", /named by the PATH/],
  [
    "links as of update-alternatives",
    ["iptables -> iptables-legacy", "ip6tables -> ip6tables-legacy", ...BOTH],
    "iptables",
    "ip6tables",
    /named by the PATH/,
  ],
  [
    "iptables of one variant and ip6tables of the other",
    ["iptables -> iptables-nft", "ip6tables -> ip6tables-legacy", ...BOTH],
    "iptables",
    "ip6tables",
    /named by the PATH/,
  ],
  ["iptables without ip6tables", ["iptables"], "iptables", "ip6tables", /named by the PATH/],
  [
    "a link without its counterpart for IPv6",
    ["iptables -> iptables-legacy", ...BOTH],
    "iptables",
    "ip6tables-legacy",
    /named by the PATH/,
  ],
  ["only names of legacy", LEGACY, "iptables-legacy", "ip6tables-legacy", /only iptables-legacy is on the PATH/],
  ["only names of nft", NFT, "iptables-nft", "ip6tables-nft", /only iptables-nft is on the PATH/],
  ["a wrapper over one variant", [...WRAPPED, ...NFT], "iptables-nft", "ip6tables-nft", /only iptables-nft is on/],
  ["a wrapper over nothing", WRAPPED, "iptables", "ip6tables", /named by the PATH/],
  ["nothing at all", [], "iptables", "ip6tables", /named by the PATH/],
];

for (const [name, path, ipv4, ipv6, reason] of ON_PATH) {
  t.test(`on the PATH ${name}: ${ipv4} and ${ipv6}, and no program is run`, async (t) => {
    const chosen = await chooseTools(unheard, { path: programs(...path) });
    t.strictSame(chosen.programs, { IPv4: ipv4, IPv6: ipv6 });
    t.match(chosen.reason, reason);
  });
}

t.test("the place of each program is told", async (t) => {
  const { paths } = await chooseTools(unheard, { path: programs("iptables -> iptables-nft", "iptables-nft") });
  t.match(paths.IPv4, /\/iptables$/);
  t.equal(paths.IPv6, undefined);
});

t.test("a variant that is set is used, by whichever name it has", async (t) => {
  const forced = { IPv4: "legacy" } as const;
  const path = programs("iptables", "ip6tables", ...BOTH);
  const legacy = await chooseTools(saying("iptables v1.8.9 (legacy)"), { path, forced });
  t.strictSame(legacy.programs, { IPv4: "iptables", IPv6: "ip6tables" });
  t.match(legacy.reason, /set in the node facts/);
  const nft = await chooseTools(saying("iptables v1.8.9 (nf_tables)"), { path, forced });
  t.strictSame(nft.programs, { IPv4: "iptables-legacy", IPv6: "ip6tables-legacy" });
  const wrapped = await chooseTools(saying("iptables v1.8.9 (legacy)"), {
    path: programs(...WRAPPED, ...BOTH),
    forced,
  });
  t.strictSame(wrapped.programs, { IPv4: "iptables-legacy", IPv6: "ip6tables-legacy" });
  const both = await chooseTools(refuse, { path: programs(...BOTH), forced: { IPv4: "nft", IPv6: "legacy" } });
  t.strictSame(both.programs, { IPv4: "iptables-nft", IPv6: "ip6tables-legacy" });
  const only = await chooseTools(refuse, { path: programs("iptables-legacy"), forced });
  t.strictSame(only.programs, { IPv4: "iptables-legacy", IPv6: "ip6tables" }, "IPv6 may be missing");
});

t.test("a variant that is set and not on the PATH is an error that says so", async (t) => {
  const missing = chooseTools(saying("iptables v1.8.9 (nf_tables)"), {
    path: programs("iptables", "ip6tables", ...NFT),
    forced: { IPv4: "legacy" },
  });
  t.match(await refusalOf(missing), { words: /iptables on the PATH is of the other variant.*no iptables-legacy/ });
});

t.test("where both are wrapped, a kernel without nf_tables has legacy", async (t) => {
  for (const path of [programs(...WRAPPED, ...BOTH), programs(...BOTH)]) {
    const { programs, reason } = await chooseTools(unheard, { path, hasNft: async () => false });
    t.equal(programs.IPv4, "iptables-legacy");
    t.match(reason, /no nf_tables/);
  }
});

t.test("tables that cannot be seen and a program that fails count for nothing", async (t) => {
  const path = programs(...WRAPPED, ...BOTH);
  const hasNft = async () => true;
  const unseen = await chooseTools(refuse, { path, hasNft, legacyTables: async () => undefined });
  t.equal(unseen.programs.IPv4, "iptables-nft");
  t.match(await refusalOf(chooseTools(refuse, { path, hasNft, legacyTables: async () => ["filter"] })), {
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

t.test("the chosen programs are run for all commands of their family, and no others", async (t) => {
  const ran: string[] = [];
  const run: RunCommand = async ({ program }) => {
    ran.push(program);
    return "";
  };
  const tools = await chooseTools(unheard, { path: programs(...LEGACY) });
  const legacy = throughTools(run, { ...tools, programs: { ...tools.programs, IPv4: "iptables-nft" } });
  for (const program of ["iptables", "ip6tables", "iptables-save", "ip6tables-restore", "ip"]) {
    await legacy({ program, args: [] });
  }
  t.strictSame(ran, ["iptables-nft", "ip6tables-legacy", "iptables-nft-save", "ip6tables-legacy-restore", "ip"]);
});
