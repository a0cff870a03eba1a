// Quarantines ServicePorts whose rules the kernel rejects: finds them in few restores, leaves what the kernel already has
// of them in place, and tries them again later.
import type { KernelError } from "../errors.ts";
import type { Applied } from "../kernel/apply.ts";
import { changesBetween, type PagedList, replaceItems } from "../paged-list.ts";
import { type Fragment, type KernelState, TABLES } from "../state/kernel-state.ts";
import { presentRules } from "../state/present-rules.ts";
import { tailOf } from "../state/rule.ts";
import { FIRST_RETRY, waitAfter } from "./refusal-wait.ts";

/** A ServicePort whose rules the kernel rejected. */
export interface RejectedService {
  readonly refused: Fragment;
  readonly error: KernelError;
  /** What the kernel keeps of this ServicePort meanwhile; undefined where it holds none of its rules. */
  readonly instead: Fragment | undefined;
  /** Set where the search ended before its time: one of these ServicePorts is to blame, not necessarily this one. */
  readonly suspectedWith?: readonly Fragment[];
}

/** A quarantined ServicePort. Times are milliseconds of the reconciler's clock. */
interface Entry extends RejectedService {
  readonly wait: number;
  readonly since: number;
}

/** ServicePorts in quarantine, by key. */
export class Quarantine {
  readonly #entries = new Map<string, Entry>();

  /** Puts ServicePorts into quarantine; one that was blamed before waits twice as long as the last time. */
  add(rejected: readonly RejectedService[], now: number): void {
    for (const each of rejected) {
      const wait = each.suspectedWith ? FIRST_RETRY : waitAfter(this.#entries.get(each.refused.key)?.wait);
      this.#entries.set(each.refused.key, { ...each, wait, since: now });
    }
  }

  all(): readonly RejectedService[] {
    return [...this.#entries.values()];
  }

  /** The ServicePorts that one was last suspected together with. */
  suspectedWith({ key }: Fragment): readonly Fragment[] | undefined {
    return this.#entries.get(key)?.suspectedWith;
  }

  /** Milliseconds until a ServicePort is to be tried again; undefined when none is quarantined. */
  nextRetry(now: number): number | undefined {
    if (this.#entries.size === 0) return undefined;
    return Math.max(0, Math.min(...[...this.#entries.values()].map(({ since, wait }) => since + wait - now)));
  }

  /**
   * The desired state with quarantined ServicePorts as the kernel has them. One that is due is let in. One that changed
   * is let in too, at most every two seconds, so that a rejected Service with many changes does not slow down all others.
   */
  withhold(desired: KernelState, now: number): KernelState {
    if (this.#entries.size === 0) return desired;
    const keys = new Set([...desired.fragments].map(({ key }) => key));
    for (const key of this.#entries.keys()) if (!keys.has(key)) this.#entries.delete(key);
    const fragments = replaceItems(desired.fragments, (fragment) => {
      const entry = this.#entries.get(fragment.key);
      if (!entry) return undefined;
      const wait = fragment === entry.refused ? entry.wait : Math.min(entry.wait, FIRST_RETRY);
      return now < entry.since + wait ? asList(entry.instead) : undefined;
    });
    return { ...desired, fragments };
  }

  /** Releases every ServicePort that the kernel accepted: those that this applied state holds in a version of their own. */
  settle({ fragments }: KernelState): void {
    if (this.#entries.size === 0) return;
    for (const fragment of fragments) {
      const entry = this.#entries.get(fragment.key);
      if (entry && entry.instead !== fragment) this.#entries.delete(fragment.key);
    }
  }
}

/** What one attempt came to, and what the kernel held before it. */
export interface AttemptResult {
  readonly applied: Applied;
  readonly observed: KernelState;
}

export interface IsolationInput {
  readonly target: KernelState;
  /** What the kernel accepted last; ServicePorts that differ from it are suspected first. */
  readonly accepted: PagedList<Fragment>;
  /** Groups that an earlier search found to contain a rejected ServicePort. */
  readonly suspectedWith: (fragment: Fragment) => readonly Fragment[] | undefined;
  /** The attempt to apply `target` that the kernel rejected. */
  readonly first: AttemptResult;
  /** Observes the kernel and applies a state. */
  readonly attempt: (state: KernelState) => Promise<AttemptResult>;
  /** Applies a change without effect. Gives the error if the kernel rejects that too: then no Service is to blame. */
  readonly probe: () => Promise<KernelError | undefined>;
}

/** What the search for rejected ServicePorts came to. */
export interface Isolation {
  /** Empty where no ServicePort is to blame. */
  readonly rejected: readonly RejectedService[];
  /** What the kernel holds now; undefined where it rejected the last attempt. */
  readonly held: KernelState | undefined;
  readonly error?: KernelError;
}

/** Restores that one search takes at most. */
const MOST_ATTEMPTS = 18;
/** Those of them that leave out only what the tool names. */
const MOST_NAMED = 12;
/** Matches that are tried for the reason where the tool names no line. */
const MOST_TRAITS = 3;

/** errno texts that say nothing about the rules: the same restore may be accepted a moment later. */
const TRANSIENT =
  /Resource temporarily unavailable|Device or resource busy|Cannot allocate memory|No buffer space available|Interrupted system call|\bE(?:AGAIN|BUSY|NOMEM|NOBUFS|INTR)\b/;

/** Whether the same change may be accepted if it is simply tried again later. */
export function isTransient({ refusal: { words, code } }: KernelError): boolean {
  return TRANSIENT.test(words) || TRANSIENT.test(code);
}

/** Whether a rule may be to blame. A tool that was killed, is missing or waits for the lock names no line. */
export function isOverRule(error: KernelError): boolean {
  return error.refusal.rejectedLines !== undefined && !isTransient(error);
}

/**
 * Finds the ServicePorts that make the kernel reject `target`, and brings the kernel to the target without them. Those
 * whose lines the tool names are left out first, with all that share the rejected match. Where it names none
 * (iptables-legacy only names the COMMIT line) the suspects are let in by halves. When that takes too many restores, the
 * suspects that are left are quarantined too and the search goes on at their next retry.
 */
export async function isolateRejected(input: IsolationInput): Promise<Isolation> {
  const search = new Search(input);
  const done = (await search.leaveOutNamed()) || (await search.letInByHalves());
  if (!done || search.error) return { rejected: [], held: undefined, ...(search.error && { error: search.error }) };
  const error = search.appliedAny ? undefined : await input.probe();
  return error ? { rejected: [], held: undefined, error } : { rejected: search.rejected(), held: search.state };
}

class Search {
  /** Of the last attempt. */
  error: KernelError | undefined;
  /** Of the last attempt. */
  state: KernelState;
  /** Whether the kernel accepted any restore. */
  appliedAny = false;
  readonly #input: IsolationInput;
  readonly #accepted: ReadonlyMap<string, Fragment>;
  readonly #blamed = new Map<string, Blamed>();
  #observed: KernelState;
  #attempts = 0;

  constructor(input: IsolationInput) {
    this.#input = input;
    this.#accepted = new Map([...input.accepted].map((fragment) => [fragment.key, fragment]));
    this.state = input.target;
    this.#observed = input.first.observed;
    this.#note(input.first);
  }

  /** Leaves out what the tool names until the kernel accepts the rest. False where it names no ServicePort, or too many. */
  async leaveOutNamed(): Promise<boolean> {
    const lines: string[] = [];
    while (this.error && isOverRule(this.error) && this.#attempts < MOST_NAMED) {
      const named = namedIn(this.error, this.state.fragments);
      if (named.length === 0) return false;
      for (const { fragment, line } of named) {
        this.#blame(fragment, this.error);
        lines.push(line);
      }
      const alike = alikeIn(this.#input.target.fragments, lines, this.error).filter(
        ({ key }) => !this.#blamed.has(key),
      );
      await this.#attempt(alike);
      if (!this.error && alike.length > 0) await this.#letInTogether(alike);
    }
    return this.error === undefined || !isOverRule(this.error);
  }

  /** Lets in the suspects by halves, first those that changed since the kernel last accepted everything. */
  async letInByHalves(): Promise<boolean> {
    const { target, accepted } = this.#input;
    const changed = this.#unlikePresent(changesBetween(target.fragments, accepted).come);
    const byMatch = [...groupsByTrait(target.fragments)].filter(([trait]) => /^-[mj] /.test(trait));
    const alike = smallestFirst(new Map(byMatch)).filter(({ length }) => 2 * length < changed.length);
    let suspects: readonly Fragment[] = [];
    for (const some of [...alike.slice(0, MOST_TRAITS), changed, [...target.fragments]]) {
      suspects = some.filter(({ key }) => !this.#blamed.has(key));
      await this.#attempt(suspects);
      if (!this.error) break;
      if (!isOverRule(this.error)) return true;
    }
    if (this.error) return true;
    const groups = smallestFirst(groupBy(suspects, (one) => [this.#input.suspectedWith(one)])).reverse();
    let lastError: KernelError | undefined;
    for (let group = groups.pop(); group; group = groups.pop()) {
      if (this.#attempts >= MOST_ATTEMPTS && lastError) {
        groups.push(group);
        break;
      }
      await this.#attempt(groups.flat());
      if (!this.error) continue;
      if (!isOverRule(this.error)) return true;
      lastError = this.error;
      const [only] = group;
      if (only && group.length === 1) this.#blame(only, lastError);
      else groups.push(...parts(group, lastError));
    }
    if (lastError) {
      for (const group of groups) for (const fragment of group) this.#blame(fragment, lastError, group);
    }
    if (this.error) await this.#attempt();
    return true;
  }

  /** Those of which the kernel does not hold exactly these rules: after a restart, when nothing was accepted yet, the few. */
  #unlikePresent(fragments: readonly Fragment[]): readonly Fragment[] {
    const present = presentRules(this.#observed, this.#input.target, fragments);
    return fragments.filter((fragment) => {
      const there = present.get(fragment.key);
      return !there || textOf(there) !== textOf(fragment);
    });
  }

  rejected(): readonly RejectedService[] {
    const originals = new Map([...this.#input.target.fragments].map((fragment) => [fragment.key, fragment]));
    return [...this.#blamed].flatMap(
      ([
        key,
        {
          error,
          instead: [instead],
          suspectedWith,
        },
      ]) => {
        const refused = originals.get(key);
        return refused ? [{ refused, error, instead, ...(suspectedWith && { suspectedWith }) }] : [];
      },
    );
  }

  /** What is left out because it shares a match with what was named is innocent if the kernel accepts it after all. */
  async #letInTogether(alike: readonly Fragment[]): Promise<void> {
    const [blamed] = this.#blamed.values();
    await this.#attempt();
    if (!this.error || !blamed) return;
    for (const fragment of alike) this.#blame(fragment, blamed.error);
    await this.#attempt();
  }

  /** Applies the target without what is blamed and without these. */
  async #attempt(without: readonly Fragment[] = []): Promise<void> {
    this.#attempts++;
    const left = new Set(without.map(({ key }) => key));
    const insteadOfLeft = this.#insteadOf(without);
    const fragments = replaceItems(this.#input.target.fragments, ({ key }) => {
      const instead = this.#blamed.get(key)?.instead ?? (left.has(key) ? insteadOfLeft.get(key) : undefined);
      return instead?.slice(0, 1);
    });
    this.state = { ...this.#input.target, fragments };
    this.#note(await this.#input.attempt(this.state));
  }

  #note({ applied, observed }: AttemptResult): void {
    this.error = applied.refused?.error;
    this.#observed = observed;
    this.appliedAny ||= applied.done.some(({ kind }) => kind === "iptables");
  }

  /** A version that is rejected in its turn is replaced by the next older one, the last by nothing. */
  #blame(fragment: Fragment, error: KernelError, group: readonly Fragment[] = []): void {
    const known = this.#blamed.get(fragment.key);
    const instead = known?.instead.slice(1) ?? this.#insteadOf([fragment]).get(fragment.key) ?? [];
    this.#blamed.set(fragment.key, { error, instead, ...(group.length > 0 && { suspectedWith: group }) });
  }

  /** By key, what the kernel may keep instead of each: the version it accepted last, else what it holds now. */
  #insteadOf(fragments: readonly Fragment[]): ReadonlyMap<string, readonly Fragment[]> {
    const present = presentRules(this.#observed, this.#input.target, fragments);
    return new Map(
      fragments.map((fragment) => {
        const accepted = this.#accepted.get(fragment.key);
        const versions = [accepted === fragment ? undefined : accepted, present.get(fragment.key)];
        return [fragment.key, versions.filter((version) => version !== undefined)];
      }),
    );
  }
}

interface Blamed {
  readonly error: KernelError;
  /** Versions that may stand in its place; the first one does. */
  readonly instead: readonly Fragment[];
  readonly suspectedWith?: readonly Fragment[];
}

/** Those that are named apart from all others, else two halves. */
function parts(group: readonly Fragment[], error: KernelError): readonly (readonly Fragment[])[] {
  const named = new Set(namedIn(error, group).map(({ fragment }) => fragment));
  if (named.size > 0) {
    return [[...named], group.filter((fragment) => !named.has(fragment))].flatMap((some, at) =>
      at === 0 ? some.map((one) => [one]) : some.length > 0 ? [some] : [],
    );
  }
  const half = Math.ceil(group.length / 2);
  return [group.slice(half), group.slice(0, half)];
}

/** ServicePorts with a line that the tool named. */
function namedIn(
  { refusal }: KernelError,
  fragments: Iterable<Fragment>,
): readonly { readonly fragment: Fragment; readonly line: string }[] {
  const lines = (refusal.rejectedLines ?? []).filter((line) => /^-[AIDR] /.test(line));
  if (lines.length === 0) return [];
  const appended = new Set(lines.map((line) => line.replace(/^-[AIDR] (\S+)(?: \d+(?= |$))?/, "-A $1")));
  // A rule of a shared chain may stand in a chain of its index.
  const tails = new Set([...appended].map(tailOf));
  return [...fragments].flatMap((fragment) => {
    const line = [...linesOf(fragment)].find(({ text, shared }) =>
      shared ? tails.has(tailOf(text)) : appended.has(text),
    );
    return line ? [{ fragment, line: line.text }] : [];
  });
}

function* linesOf(fragment: Fragment): Iterable<{ readonly text: string; readonly shared: boolean }> {
  for (const table of TABLES) {
    for (const { rules } of fragment.chains(table)) for (const { line } of rules) yield { text: line, shared: false };
    for (const rules of fragment.shares(table).values())
      for (const { line } of rules) yield { text: line, shared: true };
  }
}

/** Its rules, whatever order its chains are in. */
function textOf(fragment: Fragment): string {
  return [...linesOf(fragment)]
    .map(({ text }) => text)
    .sort()
    .join("\n");
}

/**
 * ServicePorts that have the match or target for which the named lines were rejected: the one that the tool quotes
 * ("Couldn't load match `recent'"), or the rarest one that at least two named lines share. None where half of all
 * ServicePorts or more have it, as then it is hardly the reason.
 */
function alikeIn(fragments: PagedList<Fragment>, lines: readonly string[], error: KernelError): readonly Fragment[] {
  const [first = [], ...others] = lines.map(traitsOf);
  const shared = first.filter((trait) => others.every((traits) => traits.includes(trait)));
  const quoted = [...error.refusal.words.matchAll(/[`'"]([^`'"\s]+)['"]/g)].map(([, word = ""]) => word);
  const named = shared.filter((trait) => quoted.includes(trait.replace(/^-[mj] /, "")));
  const traits = named.length > 0 ? named : lines.length > 1 ? shared : [];
  if (traits.length === 0) return [];
  const having = groupsByTrait(fragments, traits);
  const [rarest = []] = smallestFirst(having);
  return rarest.length * 2 < fragments.length ? rarest : [];
}

/** ServicePorts by the traits of their rules, only these traits if given. */
function groupsByTrait(
  fragments: Iterable<Fragment>,
  traits?: readonly string[],
): ReadonlyMap<string, readonly Fragment[]> {
  return groupBy(fragments, (fragment) => {
    const own = new Set([...linesOf(fragment)].flatMap(({ text }) => traitsOf(text)));
    return traits ? traits.filter((trait) => own.has(trait)) : own;
  });
}

function groupBy<K>(
  fragments: Iterable<Fragment>,
  keysOf: (fragment: Fragment) => Iterable<K>,
): ReadonlyMap<K, readonly Fragment[]> {
  const groups = new Map<K, Fragment[]>();
  for (const fragment of fragments) {
    for (const key of keysOf(fragment)) {
      const group = groups.get(key);
      if (group) group.push(fragment);
      else groups.set(key, [fragment]);
    }
  }
  return groups;
}

function smallestFirst(groups: ReadonlyMap<unknown, readonly Fragment[]>): (readonly Fragment[])[] {
  return [...groups.values()].sort((a, b) => a.length - b.length);
}

/** Matches, targets and options of a rule: `-m recent`, `-j REJECT`, `--reap`. */
function traitsOf(line: string): readonly string[] {
  const words = line.replace(/ --comment (?:"(?:[^"\\]|\\.)*"|\S+)/, "").split(" ");
  return words.flatMap((word, at) => {
    if (word.startsWith("--")) return [word];
    const next = words[at + 1] ?? "";
    return (word === "-m" || word === "-j") && !next.startsWith("KUBE-") ? [`${word} ${next}`] : [];
  });
}

function asList<T>(item: T | undefined): readonly T[] {
  return item === undefined ? [] : [item];
}
