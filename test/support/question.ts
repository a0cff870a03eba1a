// What is asked, where only one thing about it matters?
import type { Question } from "../../src/serve/answer.ts";

/** GET of `/` by a client on this node, unless said. */
export function question(given: Partial<Question> = {}): Question {
  return {
    method: "GET",
    path: "/",
    query: new URLSearchParams(),
    accept: undefined,
    peer: "127.0.0.1",
    body: async () => "",
    ...given,
  };
}
