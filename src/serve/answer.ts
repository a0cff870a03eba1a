// Requests and answers of the HTTP servers, and the reading of Accept headers.

export interface Question {
  readonly method: string;
  /** Without the query, as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The Accept header. */
  readonly accept: string | undefined;
  /** Address of the one who asks. */
  readonly peer: string;
  /** What was sent along; undefined where it is more than so many bytes. */
  readonly body: (limit: number) => Promise<string | undefined>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Answerer = (question: Question) => Answer | Promise<Answer>;

/** Nobody shall guess at another type than the one that is said. */
const AS_SAID = { "X-Content-Type-Options": "nosniff" };

export function plainText(body: string, status = 200): Answer {
  return typed("text/plain; charset=utf-8", body, status);
}

/** A text that is JSON already. */
export function json(body: string, status = 200): Answer {
  return typed("application/json", body, status);
}

export function typed(contentType: string, body: string, status = 200): Answer {
  return { status, headers: { "Content-Type": contentType, ...AS_SAID }, body };
}

/** What Go's HTTP library says where there is nothing. */
export const NOT_FOUND = plainText("404 page not found\n", 404);

/** One media range of an Accept header: `type` and the names of parameters in lower case, `weight` from 0 to 1. */
export interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly weight: number;
}

/** The ranges of an Accept header, the most preferred first. */
export function readAccept(accept: string): readonly MediaRange[] {
  return accept
    .split(",")
    .map(readRange)
    .sort((a, b) => b.weight - a.weight);
}

function readRange(text: string): MediaRange {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters = new Map(
    rest.map((part): [string, string] => [part.replace(/ *=.*/, "").toLowerCase(), part.replace(/^[^=]*= */, "")]),
  );
  return { type: type.toLowerCase(), parameters, weight: Number(parameters.get("q") ?? 1) };
}

/** One answerer for each path, which must match exactly; any other is not found. */
export function byPath(paths: ReadonlyMap<string, Answerer>): Answerer {
  return (question) => paths.get(question.path)?.(question) ?? NOT_FOUND;
}
