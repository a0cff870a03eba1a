// Holds the kernel state of one address family that decides about packets: tables, ipsets, IPVS and addresses.

import { RuleSyntaxError } from "../errors.ts";
import type { Family } from "../net/family.ts";
import type { MissingPart } from "../state/dump-part.ts";
import { parseTables } from "../state/iptables-parse.ts";
import { wholeIpvs } from "../state/ipvs-whole.ts";
import { parseServers } from "../state/ipvsadm-text.ts";
import { type Chains, type KernelState, TABLES, type TableName } from "../state/kernel-state.ts";
import { type InterfaceAddress, IPVS_DEVICE } from "../state/node-facts.ts";
import type { VirtualServer } from "../state/virtual-server.ts";
import { wholeTable } from "../state/whole-tables.ts";

/** The policy of a built-in chain. */
export type Policy = "ACCEPT" | "DROP";

export interface Ruleset {
  readonly family: Family;
  /** A table that is not there has no rules, unless it is missing. */
  readonly tables: ReadonlyMap<TableName, Chains>;
  /** By table and chain; ACCEPT where none is known. */
  readonly policies: ReadonlyMap<TableName, ReadonlyMap<string, Policy>>;
  /** By name. A match of any other set is unknown. */
  readonly sets: ReadonlyMap<string, Ipset>;
  readonly servers: readonly VirtualServer[];
  /** All addresses of all interfaces; undefined: not known, so that it is not known either what is local. */
  readonly addresses: readonly InterfaceAddress[] | undefined;
  /** Addresses that are local for sure, whatever else is: those of virtual servers. */
  readonly serviceAddresses: ReadonlySet<string>;
  /** Parts that are not known; a packet that reaches one of them ends as unknown. */
  readonly missing?: readonly MissingPart[];
  /** Does the kernel track the connections that IPVS translates (`net.ipv4.vs.conntrack`)? */
  readonly ipvsTracked: boolean;
}

/** The ruleset of a wanted state, or of an observed one; `addresses` are the node's, without those of Services. */
export function rulesetOfState(state: KernelState, addresses: readonly InterfaceAddress[] | undefined): Ruleset {
  const { ipvs, family } = state;
  const whole = ipvs?.kind === "observed" ? ipvs : wholeIpvs(state);
  return {
    family,
    tables: new Map([...state.tables.keys()].map((table) => [table, wholeTable(state, table)])),
    policies: new Map(),
    sets: new Map(whole.sets.map((set) => [set.name, set])),
    servers: whole.servers,
    addresses: withServiceAddresses(addresses, whole.addresses),
    serviceAddresses: new Set(whole.addresses),
    ipvsTracked: true,
  };
}

/** What was read on a node: each text is that of its tool, and may be missing. */
export interface DumpTexts {
  readonly family: Family;
  /** Of `iptables-save` or `ip6tables-save`. */
  readonly tables: string;
  /** Of `ipset save`. */
  readonly sets?: string;
  /** Of `ipvsadm -Sn`; what is not of the family is passed over. */
  readonly servers?: string;
  readonly addresses?: readonly InterfaceAddress[] | undefined;
}

/**
 * The ruleset of a dump. A virtual server's address is taken for local even if the node's addresses do not have it: the
 * mode that makes them keeps their addresses on an interface of its own. Throws RuleSyntaxError, with the line.
 */
export function rulesetOfDump({ family, tables, sets = "", servers = "", addresses }: DumpTexts): Ruleset {
  const own = parseServers(servers).filter(({ address }) => address.includes(":") === (family === "IPv6"));
  const served = [...new Set(own.map(({ address }) => address))];
  return {
    family,
    tables: parseTables(tables),
    policies: parsePolicies(tables),
    sets: parseIpsetSave(sets),
    servers: own,
    addresses: withServiceAddresses(addresses, served),
    serviceAddresses: new Set(served),
    ipvsTracked: true,
  };
}

function withServiceAddresses(
  addresses: readonly InterfaceAddress[] | undefined,
  served: readonly string[],
): readonly InterfaceAddress[] | undefined {
  const known = new Set(addresses?.map(({ address }) => address));
  const more = served.filter((address) => !known.has(address));
  return addresses && [...addresses, ...more.map((address) => ({ interface: IPVS_DEVICE, address }))];
}

function parsePolicies(text: string): ReadonlyMap<TableName, ReadonlyMap<string, Policy>> {
  const policies = new Map<TableName, Map<string, Policy>>();
  let chains = new Map<string, Policy>();
  for (const [, table, chain = "", policy] of text.matchAll(/^(?:\*(\S+)|:(\S+) (ACCEPT|DROP)\b.*)$/gm)) {
    const name = TABLES.find((known) => known === table);
    if (name !== undefined) chains = policies.get(name) ?? new Map();
    if (name !== undefined) policies.set(name, chains);
    else if (policy !== undefined) chains.set(chain, policy === "DROP" ? "DROP" : "ACCEPT");
  }
  return policies;
}

/** A set of any type. Ours are such sets as well. */
export interface Ipset {
  readonly name: string;
  /** As ipset spells it: `hash:net`, `list:set`. */
  readonly type: string;
  /** Of hashes; others have none. */
  readonly family: "inet" | "inet6" | "none";
  /** Prefix length to which `hash:ip` and its like cut addresses before they look. */
  readonly netmask?: number;
  /** As `ipset save` prints them, without options other than `nomatch`. */
  readonly entries: Iterable<string>;
}

interface MutableIpset extends Ipset {
  readonly entries: string[];
}

const CREATE = /^create (\S+) (\S+)(.*)$/;

const ADD = /^add (\S+) (\S+)(.*)$/;

/** Reads save text, by name. Throws RuleSyntaxError, with the line, for what is not save text. */
export function parseIpsetSave(text: string): ReadonlyMap<string, Ipset> {
  const sets = new Map<string, MutableIpset>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line === "" || line.startsWith("#")) continue;
    if (!parseCreate(sets, line) && !parseAdd(sets, line)) {
      throw new RuleSyntaxError(index + 1, line, "neither a set nor an entry of one above");
    }
  }
  return sets;
}

function parseCreate(sets: Map<string, MutableIpset>, line: string): boolean {
  const [, name, type = "", written = ""] = CREATE.exec(line) ?? [];
  if (name === undefined) return false;
  const options = unquotedWords(written);
  const netmask = valueAfter(options, "netmask");
  const family = type.startsWith("hash:") ? (valueAfter(options, "family") === "inet6" ? "inet6" : "inet") : "none";
  sets.set(name, { name, type, family, ...(netmask === undefined ? {} : { netmask: Number(netmask) }), entries: [] });
  return true;
}

function parseAdd(sets: Map<string, MutableIpset>, line: string): boolean {
  const [, name = "", entry = "", options = ""] = ADD.exec(line) ?? [];
  const set = sets.get(name);
  set?.entries.push(unquotedWords(options).includes("nomatch") ? `${entry} nomatch` : entry);
  return set !== undefined;
}

/** Options as words, without what an operator noted in quotation marks. */
function unquotedWords(options: string): readonly string[] {
  return options.replace(/"[^"]*"/g, "").split(" ");
}

function valueAfter(options: readonly string[], name: string): string | undefined {
  const at = options.indexOf(name);
  return at < 0 ? undefined : options[at + 1];
}
