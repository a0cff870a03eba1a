// Which path is answered by whom?
import t from "tap";
import { type Answerer, byPath, json, NOT_FOUND, plainText, typed } from "../../src/serve/answer.ts";
import { question } from "../support/question.ts";

const PAGES = byPath(new Map<string, Answerer>([["/healthz", () => plainText("ok")]]));

t.test("paths match exactly", async (t) => {
  t.equal((await PAGES(question({ path: "/healthz" }))).body, "ok");
  for (const path of ["/", "/healthz/", "/Healthz", "//healthz", "/health", "/healthz/ping", "", "*"]) {
    t.strictSame(await PAGES(question({ path })), NOT_FOUND, path);
  }
});

t.test("what is not there is said as Go says it", async (t) => {
  const headers = { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" };
  t.strictSame(NOT_FOUND, { status: 404, headers, body: "404 page not found\n" });
});

t.test("the type is said, and is not to be guessed at", async (t) => {
  t.strictSame(json("{}", 503), {
    status: 503,
    headers: { "Content-Type": "application/json", "X-Content-Type-Options": "nosniff" },
    body: "{}",
  });
  t.equal(typed("a/b", "").headers["Content-Type"], "a/b");
});
