// What was the kernel of a test asked to change, what of it was no change, and what is it to refuse?

/** What a change came to: an errno, or `same` where all was as asked for already. */
export type ChangeOutcome = number | "done" | "same";

/** Errnos by which a kernel says that what is to come is there, or what is to go is gone. */
const AS_IT_WAS: ReadonlySet<number> = new Set([2, 3, 17, 99]);

export class KernelJournal {
  /** Each change that was asked for, in words: `add-real 10.0.0.1:80/TCP to 10.1.0.1:8080`. */
  readonly changes: string[] = [];
  /** Those that changed nothing. */
  readonly needless: string[] = [];
  /** Removals of TCP real servers that had connections. */
  readonly broken: string[] = [];
  /** The errno with which a change is refused before it is tried; 0 lets it be tried. */
  refuses: (change: string) => number = () => 0;

  /** Carries a change out, and gives the errno. */
  carryOut(change: string, attempt: () => ChangeOutcome): number {
    this.changes.push(change);
    const refused = this.refuses(change);
    if (refused !== 0) return refused;
    const outcome = attempt();
    if (outcome === "done") return 0;
    if (outcome === "same" || AS_IT_WAS.has(outcome)) this.needless.push(change);
    return outcome === "same" ? 0 : outcome;
  }
}
