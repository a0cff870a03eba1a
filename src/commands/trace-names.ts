// Which Service do the rules that a packet met name in their comments, where no manifests tell of it?
import { isIndexChain } from "../state/index-chain-name.ts";
import type { RulePlace, Step } from "../trace/trace.ts";
import { placeOf } from "./trace-report.ts";

/** As kube-proxy has written them in iptables mode since 1.20. */
const COMMENT =
  / --comment (?:"([a-z0-9-]+\/[a-z0-9.-]+(?::[a-z0-9-]+)?) (?:cluster IP|external IP|loadbalancer IP|has no [^"]*)"|"?([a-z0-9-]+\/[a-z0-9.-]+(?::[a-z0-9-]+)?)"? )/;

/** Where packets are told apart by Service. */
const CHAINS: ReadonlySet<string> = new Set([
  "KUBE-SERVICES",
  "KUBE-NODEPORTS",
  "KUBE-EXTERNAL-SERVICES",
  "KUBE-IX-NODEPORTS",
]);

export interface NamedService {
  readonly name: string;
  /** The rule, by chain and number. */
  readonly by: string;
}

/** The first one that is named. */
export function namedService(steps: readonly Step[]): NamedService | undefined {
  for (const { at } of steps) {
    const name = "rule" in at && (CHAINS.has(at.chain) || isIndexChain(at.chain)) ? nameIn(at) : undefined;
    if (name !== undefined) return { name, by: placeOf(at) };
  }
  return undefined;
}

function nameIn({ rule }: RulePlace): string | undefined {
  const [, described, bare] = COMMENT.exec(rule.line) ?? [];
  return described ?? bare;
}
