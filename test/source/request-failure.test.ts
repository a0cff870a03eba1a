import t from "tap";
import { ended, lost, refusal, unreadable } from "../../src/source/request-failure.ts";

const status = { code: 403, reason: "Forbidden", message: "no\nrights", retryAfter: 0, tooLarge: false };

t.test("a refusal in the server's words, on one line", (t) => {
  const failure = refusal(403, status);
  t.equal(failure.message, "403 Forbidden: no\\u000arights");
  t.strictSame(failure.fault, { type: "refused", status: 403, versionGone: false, retryAfter: 0 });
  t.equal(refusal(502, undefined).message, "502");
  t.equal(refusal(500, { ...status, message: "x".repeat(1000) }).message.length, 304, "long words are cut");
  t.end();
});

t.test("a version that is gone, or not there yet", (t) => {
  t.match(refusal(410, undefined).fault, { versionGone: true });
  t.match(refusal(504, { ...status, tooLarge: true }).fault, { versionGone: true });
  t.match(refusal(504, status).fault, { versionGone: false });
  t.end();
});

t.test("the longer patience counts", (t) => {
  t.match(refusal(429, { ...status, retryAfter: 2 }, 1000).fault, { retryAfter: 2000 });
  t.match(refusal(429, { ...status, retryAfter: 2 }, 3000).fault, { retryAfter: 3000 });
  t.end();
});

t.test("a way that failed, and an answer that is none", (t) => {
  t.match(lost(new Error("connect ECONNREFUSED")), { message: "connect ECONNREFUSED", fault: { type: "lost" } });
  t.match(ended("too soon"), { message: "too soon", fault: { type: "ended" } });
  t.match(unreadable("a page"), { message: "the answer is a page", fault: { type: "unreadable" } });
  t.end();
});
