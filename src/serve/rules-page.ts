// `/rules` of the metrics server: which rules are in force, which ServicePorts are quarantined, and what failed last.
import { parseAddress } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import type { ByTable, FlowReport, Observer, PassFailure, PassReport } from "../sync/observer.ts";
import { type Answerer, json, plainText } from "./answer.ts";
import { goTime } from "./go-time.ts";

export interface RulesInput {
  /** The mode that runs. */
  readonly mode: string;
  /** Why it is not the one that was asked for. */
  readonly fallback?: string;
  /** Of iptables mode; the other one has none. */
  readonly layout?: string;
  /** Why it is not the one that was asked for. */
  readonly layoutFallback?: string;
  readonly nodeName: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface Drift {
  readonly at: number;
  readonly lines: number;
}

/** What is known of one family; times are milliseconds since 1970. */
interface FamilyRules {
  readonly began: number;
  readonly waiting: boolean;
  readonly passes: number;
  readonly pass?: PassReport & { readonly at: number };
  /** Counts what is applied, as of the last pass that left something to count. */
  readonly applied?: () => ByTable;
  readonly failure?: PassFailure & { readonly at: number };
  readonly driftedLines: number;
  readonly drift?: Drift;
  readonly flows?: FlowReport & { readonly at: number };
}

const FORBIDDEN = plainText("only answered to clients on this node\n", 403);

/** Remembers of each family what is in force, what is not, and why. */
export class RulesPage {
  readonly #input: RulesInput;
  readonly #families = new Map<Family, FamilyRules>();

  constructor(input: RulesInput) {
    this.#input = input;
  }

  /** To be told what the loops do. */
  readonly observer: Observer = {
    began: (family) => this.#learn(family, {}),
    changed: () => {},
    queued: (family) => this.#learn(family, { waiting: true }),
    progressed: () => {},
    passed: (family, report) => this.#passed(family, report),
    flushed: (family, report) => this.#learn(family, { flows: { ...report, at: this.#input.now() } }),
  };

  /** Only to clients on this node: it names Services and says what the kernel refused. */
  readonly answer: Answerer = ({ peer }) => (isLoopback(peer) ? json(`${this.#text()}\n`) : FORBIDDEN);

  #learn(family: Family, news: Partial<FamilyRules>): void {
    const before = this.#families.get(family);
    const known = before ?? { began: this.#input.now(), waiting: false, passes: 0, driftedLines: 0 };
    this.#families.set(family, { ...known, ...news });
  }

  #passed(family: Family, report: PassReport): void {
    const { passes = 0, driftedLines: lines = 0 } = this.#families.get(family) ?? {};
    const { failure, driftedLines } = report;
    const at = this.#input.now();
    this.#learn(family, {
      waiting: failure !== undefined,
      passes: passes + 1,
      pass: { ...report, at },
      driftedLines: lines + driftedLines,
      ...(!failure && { applied: report.owned }),
      ...(failure && { failure: { ...failure, at } }),
      ...(driftedLines > 0 && { drift: { at, lines: driftedLines } }),
    });
  }

  #text(): string {
    const { mode, fallback, layout, layoutFallback, nodeName, now } = this.#input;
    const families = Object.fromEntries([...this.#families].map(([family, rules]) => [family, shown(rules)]));
    const page = { node: nodeName, mode, fallback, layout, layoutFallback, now: goTime(now()), families };
    return JSON.stringify(page, undefined, 2);
  }
}

/** As an operator reads it, what matters most first. */
function shown({ began, waiting, passes, pass, applied, failure, driftedLines, drift, flows }: FamilyRules) {
  return {
    upToDate: pass !== undefined && !waiting && pass.setAside.length === 0,
    changesWaiting: waiting,
    applied: applied?.() ?? { filter: 0, nat: 0 },
    quarantined: pass?.setAside ?? [],
    unreadableTables: pass?.unreadableTables,
    lastFailure: failure && { ...failure, at: goTime(failure.at) },
    lastPass: pass && {
      at: goTime(pass.at),
      failed: pass.failure !== undefined,
      scope: pass.scope,
      milliseconds: Math.round(pass.elapsed),
      steps: pass.steps,
      sent: pass.sent,
      refusedRestores: pass.refusedRestores,
    },
    lastFlush: flows && { at: goTime(flows.at), milliseconds: Math.round(flows.elapsed), deleted: flows.deleted },
    withoutLocalEndpoints: pass?.withoutLocalEndpoints,
    drift: { lines: driftedLines, ...(drift && { last: { at: goTime(drift.at), lines: drift.lines } }) },
    passes,
    since: goTime(began),
  };
}

function isLoopback(peer: string): boolean {
  const text = parseAddress(peer)?.text ?? "";
  return text === "::1" || text.startsWith("127.");
}
