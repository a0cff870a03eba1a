// Finds the ServicePort that a rule belongs to.
import type { Chains, Fragment, KernelState, Rule, TableName } from "../state/kernel-state.ts";
import { tailOf, targetOf } from "../state/rule.ts";

/** A ServicePort as `shop/cart:http`; undefined for what is there for all alike, and where nothing tells. */
export interface Owners {
  /** Of a rule that is wanted. */
  wanted(rule: Rule): string | undefined;
  /** Of a rule that is there, in that chain. */
  actual(chain: string, rule: Rule): string | undefined;
}

const NAME = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";

/** As node proxies write it: `shop/cart:http cluster IP`, `masquerade traffic for shop/cart:http external destinations`. */
const COMMENT = new RegExp(`--comment (?:"(?:[^"]* )?)?(${NAME}/${NAME}(?::${NAME})?)(?=[" ]|$)`);

/** The ServicePort of a fragment. */
export function ownerOf({ key }: Fragment): string {
  return key.slice(0, key.lastIndexOf("/"));
}

/**
 * Wanted rules are told by their fragments. Those that are there, whoever wrote them, are told by their comments, or by
 * the chain that they are in or lead to, and such a chain by the rule that leads to it.
 */
export function ownersIn(table: TableName, wanted: KernelState, actual: KernelState): Owners {
  // The chains of an index pass a rule from one to the other.
  const tails = new Map<string, string>();
  for (const fragment of wanted.fragments) {
    const owner = ownerOf(fragment);
    for (const rules of fragment.shares(table).values()) for (const { line } of rules) tails.set(tailOf(line), owner);
    for (const { line } of fragment.ipvs()?.rules ?? []) tails.set(tailOf(line), owner);
  }
  const chains = chainOwners(actual.tables.get(table) ?? new Map());
  const told = (chain: string, { line }: Rule) => {
    return commented(line) ?? tails.get(tailOf(line)) ?? chains.get(targetOf(line) ?? "") ?? chains.get(chain);
  };
  return { wanted: ({ line }) => tails.get(tailOf(line)), actual: told };
}

/** Chains of one ServicePort: in large clusters the rules of endpoints have no comments, in the other layout none has. */
const OF_SERVICES = /^KUBE-(?:IX-)?(?:SVC|SVL|EXT|FW|SEP|SUB|XLB)-/;

/** Told by comments first, then by whoever leads to a chain, however many chains below. */
function chainOwners(chains: Chains): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  const take = (chain: string | undefined, owner: string | undefined) => {
    if (chain !== undefined && owner !== undefined && OF_SERVICES.test(chain)) owners.set(chain, owner);
  };
  for (const { name, rules } of chains.values()) {
    if (!name.startsWith("KUBE-")) continue;
    for (const { line } of rules) {
      const owner = commented(line);
      take(targetOf(line), owner);
      take(name, owner);
    }
  }
  // What is put into a map while it is gone through is gone through as well.
  for (const [name, owner] of owners) for (const { line } of chains.get(name)?.rules ?? []) take(targetOf(line), owner);
  return owners;
}

/** Services that comments of observed rules name, with their port names; a port without name is the empty text. */
export function servicesNamedIn(states: readonly KernelState[]): ReadonlyMap<string, ReadonlySet<string>> {
  const services = new Map<string, Set<string>>();
  for (const { tables } of states) {
    for (const { line } of [...tables.values()].flatMap((table) => [...table.values()].flatMap(({ rules }) => rules))) {
      const [service, port = ""] = commented(line)?.split(":") ?? [];
      if (service !== undefined) services.set(service, (services.get(service) ?? new Set()).add(port));
    }
  }
  return services;
}

function commented(line: string): string | undefined {
  return COMMENT.exec(line)?.[1];
}
