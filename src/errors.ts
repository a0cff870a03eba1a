// The errors that the project throws: InputError, RuleSyntaxError, KernelError.

/** Where in the input something stands: as much as is known, in reading order. */
export interface Place {
  /** File, `-` for standard input, or an API path. */
  readonly source?: string;
  /** One-based position of the YAML or JSON document in its file. */
  readonly document?: number;
  /** Kind and name of the object, such as `Service shop/cart`. */
  readonly object?: string;
  /** Dotted path of the field inside the object, such as `spec.ports[0].port`. */
  readonly field?: string;
}

/** Input that cannot be used: names the place and what was wrong. The object or entry is left out; the rest goes on. */
export class InputError extends Error {
  override readonly name = "InputError";
  readonly place: Place;
  readonly reason: string;

  constructor(place: Place, reason: string) {
    super(`${printPlace(place)}${reason}`);
    this.place = place;
    this.reason = reason;
  }

  /** The same complaint, with what is known of the place filled in round it. */
  at(place: Place): InputError {
    return new InputError({ ...place, ...this.place }, this.reason);
  }
}

/** Text in a tool's language (a dump, a template) that was not understood. */
export class RuleSyntaxError extends Error {
  override readonly name = "RuleSyntaxError";
  readonly line: number;
  readonly text: string;

  constructor(line: number, text: string, reason: string) {
    super(`line ${line}: ${reason}: ${text}`);
    this.line = line;
    this.text = text;
  }
}

/** What is known of a refusal by the kernel or one of its tools. */
export interface Refusal {
  /** What was attempted, such as `iptables-restore` or `sysctl`. */
  readonly step: string;
  /** What it was attempted on: a table, a path, an address. */
  readonly target: string;
  /** Exit status, signal name or errno. */
  readonly code: string;
  /** The kernel's or tool's own words. */
  readonly words: string;
  /** Input lines round the fault, where the tool named one. */
  readonly context?: readonly string[];
  /** The input lines that the tool named, as they were sent. iptables-nft names every line that the kernel rejected. */
  readonly rejectedLines?: readonly string[];
  readonly cause?: unknown;
}

/** The kernel, or a tool that speaks for it, said no. */
export class KernelError extends Error {
  override readonly name = "KernelError";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    const context = refusal.context ? `\n${refusal.context.join("\n")}` : "";
    super(`${refusal.step} ${refusal.target}: ${refusal.words} (${refusal.code})${context}`, {
      cause: refusal.cause,
    });
    this.refusal = refusal;
  }
}

function printPlace({ source, document, object, field }: Place): string {
  const parts: string[] = [];
  if (source !== undefined) parts.push(source);
  if (document !== undefined) parts.push(`document ${document}`);
  if (object !== undefined) parts.push(object);
  if (field !== undefined) parts.push(field);
  return parts.length === 0 ? "" : `${parts.join(": ")}: `;
}
