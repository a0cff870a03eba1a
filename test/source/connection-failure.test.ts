import t from "tap";
import { InputError } from "../../src/errors.ts";
import { ConnectionError } from "../../src/source/connection.ts";
import { failureOf } from "../../src/source/connection-failure.ts";

const SERVER = "https://10.0.0.1:6443";

function coded(error: Error, code: unknown): Error {
  return Object.assign(error, { code });
}

t.test("what a request can meet", async (t) => {
  const several = new AggregateError([new Error("connect ECONNREFUSED ::1:1"), "connect ECONNREFUSED 127.0.0.1:1"]);
  const cases: readonly (readonly [Error, string, string])[] = [
    [
      coded(new Error("connect ECONNREFUSED 10.0.0.1:6443"), "ECONNREFUSED"),
      "ECONNREFUSED",
      "connect ECONNREFUSED 10.0.0.1:6443",
    ],
    [coded(several, "ECONNREFUSED"), "ECONNREFUSED", "connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1"],
    [new InputError({ source: "kubeconfig" }, "is empty"), "CREDENTIALS", "kubeconfig: is empty"],
  ];
  for (const [error, code, reason] of cases) {
    t.match(failureOf(SERVER, error, "connect"), { name: "ConnectionError", code, message: `${SERVER}: ${reason}` });
  }
  const known = new ConnectionError("proxy", "407", "refused", "connect");
  t.equal(failureOf(SERVER, known, "answer"), known);
});

t.test("a bug stays a bug", async (t) => {
  for (const bug of [new TypeError("undefined is no function"), coded(new Error("numbered"), 20)]) {
    t.throws(() => failureOf(SERVER, bug, "connect"), { message: bug.message });
  }
});
