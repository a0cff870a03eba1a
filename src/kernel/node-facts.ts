// What does this machine decide?

import { access } from "node:fs/promises";
import { release } from "node:os";
import { KernelError } from "../errors.ts";
import { parseAddress } from "../net/address.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import type { InterfaceAddress, NodeFacts } from "../state/node-facts.ts";
import type { RunCommand } from "./command.ts";
import { iptablesOf } from "./iptables.ts";
import { linkAddresses, linkNames } from "./netlink.ts";
import { hasCounters } from "./nfacct.ts";
import { countProcessors } from "./processors.ts";
import { unlessRefused } from "./refused.ts";
import { readSysctl } from "./sysctl.ts";

/** All facts, as they are now. Rejects with KernelError only where netlink itself fails. */
export async function readNodeFacts(run: RunCommand): Promise<NodeFacts> {
  const usable = await Promise.all(FAMILIES.map((family) => isUsable(run, family)));
  const said = await unlessRefused(run({ program: "iptables", args: ["--version"] }), "");
  const version = /v(\d+(?:\.\d+)+)/.exec(said)?.[1];
  const counters = await hasCounters();
  return {
    addresses: await readAddresses(),
    ...(version === undefined ? {} : { iptablesVersion: version }),
    iptablesVariant: said.includes("nf_tables") ? "nft" : "legacy",
    kernelVersion: release(),
    cpus: await countProcessors(),
    counters: { invalidDropped: counters, localhostNodePorts: counters },
    tcpBeLiberal: Number((await readSysctl("net/netfilter/nf_conntrack_tcp_be_liberal")) ?? 0) !== 0,
    families: FAMILIES.filter((_, index) => usable[index]),
  };
}

/** Every address of every interface, in the order the kernel tells them. */
export async function readAddresses(): Promise<readonly InterfaceAddress[]> {
  const [names, addresses] = await Promise.all([linkNames(), linkAddresses()]);
  return addresses.flatMap(({ index, address }) => {
    const parsed = parseAddress(textOf(address));
    return parsed ? [{ interface: names.get(index) ?? String(index), address: parsed.text }] : [];
  });
}

/** As kube-proxy asks: can the nat table be listed, and, for IPv6, has the kernel not been told to do without? */
async function isUsable(run: RunCommand, family: Family): Promise<boolean> {
  if (family === "IPv6" && !(await hasIPv6())) return false;
  return (await unlessRefused(listNat(run, family), undefined)) !== undefined;
}

/** Why rules of a family cannot be written here, in the words of its tool. */
export async function whyUnusable(run: RunCommand, family: Family): Promise<string> {
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

function textOf(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0));
  return groups.map((group) => group.toString(16)).join(":");
}
