// Reads the facts of this machine that rules depend on.

import { access } from "node:fs/promises";
import { release } from "node:os";
import { KernelError } from "../errors.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import { type InterfaceAddress, IPVS_DEVICE, type NodeFacts } from "../state/node-facts.ts";
import type { RunCommand } from "./command.ts";
import { iptablesOf, isForeignRule } from "./iptables.ts";
import { variantIn } from "./iptables-variant.ts";
import { listAddresses, listLinks } from "./link.ts";
import { hasCounters } from "./nfacct.ts";
import { countProcessors } from "./processors.ts";
import { unlessRefused } from "./refused.ts";
import { readSysctl } from "./sysctl.ts";

/** All facts, as they are now. Rejects with KernelError only where netlink itself fails. */
export async function readNodeFacts(run: RunCommand): Promise<NodeFacts> {
  const usable = await Promise.all(FAMILIES.map((family) => isUsable(run, family)));
  const said = await unlessRefused(run({ program: "iptables", args: ["--version"] }), "");
  const said6 = usable[FAMILIES.indexOf("IPv6")]
    ? await unlessRefused(run({ program: "ip6tables", args: ["--version"] }), said)
    : said;
  const [variant, variant6] = [variantIn(said), variantIn(said6)];
  const version = /v(\d+(?:\.\d+)+)/.exec(said)?.[1];
  const counters = await hasCounters();
  return {
    addresses: await readAddresses(),
    ...(version === undefined ? {} : { iptablesVersion: version }),
    iptablesVariant: variant,
    ...(variant6 !== variant && { ip6tablesVariant: variant6 }),
    kernelVersion: release(),
    cpus: await countProcessors(),
    counters: { invalidDropped: counters, localhostNodePorts: counters },
    tcpBeLiberal: Number((await readSysctl("net/netfilter/nf_conntrack_tcp_be_liberal")) ?? 0) !== 0,
    families: FAMILIES.filter((_, index) => usable[index]),
  };
}

/** Every address of every interface, or of those that IPVS mode does not fill, in the order the kernel tells them. */
export async function readAddresses(of: "all" | "node" = "all"): Promise<readonly InterfaceAddress[]> {
  const links = await listLinks();
  const leftOut = of === "all" ? undefined : links.find(({ name }) => name === IPVS_DEVICE)?.index;
  const names = new Map(links.map(({ index, name }) => [index, name]));
  const addresses = await listAddresses(leftOut);
  return addresses.map(({ index, address }) => ({ interface: names.get(index) ?? String(index), address }));
}

/**
 * As in kube-proxy: whether the nat table can be listed, and, for IPv6, IPv6 is not disabled. A rule of other software
 * that iptables cannot print is no reason to serve no Services, as it would be for kube-proxy.
 */
async function isUsable(run: RunCommand, family: Family): Promise<boolean> {
  if (family === "IPv6" && !(await hasIPv6())) return false;
  try {
    await listNat(run, family);
    return true;
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    return isForeignRule(error.refusal.words);
  }
}

/** Why rules of a family cannot be written here, in the words of its tool. */
export async function whyUnusable(run: RunCommand, family: Family): Promise<string> {
  if (family === "IPv6" && !(await hasIPv6())) return "IPv6 is switched off in this kernel";
  try {
    await listNat(run, family);
    return "its nat table can be listed now";
  } catch (error) {
    if (error instanceof KernelError) return error.message;
    throw error;
  }
}

function listNat(run: RunCommand, family: Family): Promise<string> {
  return run({ program: iptablesOf(family), args: ["-w", "5", "-S", "POSTROUTING", "-t", "nat"] });
}

async function hasIPv6(): Promise<boolean> {
  const there = await access("/proc/net/if_inet6").then(
    () => true,
    () => false,
  );
  return there && (await readSysctl("net/ipv6/conf/all/disable_ipv6")) !== "1";
}
