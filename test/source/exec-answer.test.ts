import t from "tap";
import { readExecAnswer } from "../../src/source/exec-answer.ts";
import { credentialOf, describePlugin } from "../support/exec-plugin.ts";

const PLUGIN = describePlugin("login");
const PAIR = { clientCertificateData: "CERTIFICATE", clientKeyData: "KEY" };

t.test("what a plugin may give", async (t) => {
  const cases: Readonly<Record<string, readonly [Record<string, string>, object]>> = {
    "a token": [{ token: "T" }, { token: "T" }],
    "a certificate": [PAIR, { certificate: { certificate: "CERTIFICATE", key: "KEY" } }],
    "both, for a while": [
      { token: "T", ...PAIR, expirationTimestamp: "2030-01-02T03:04:05Z" },
      {
        token: "T",
        certificate: { certificate: "CERTIFICATE", key: "KEY" },
        expires: Date.UTC(2030, 0, 2, 3, 4, 5),
      },
    ],
    "another zone": [
      { token: "T", expirationTimestamp: "2030-01-02T03:04:05.5+01:00" },
      { token: "T", expires: Date.UTC(2030, 0, 2, 2, 4, 5, 500) },
    ],
  };
  for (const [name, [status, credential]] of Object.entries(cases)) {
    t.strictSame(readExecAnswer(JSON.stringify(credentialOf(status)), PLUGIN), credential, name);
  }
});

t.test("what is no answer, without a word of it", async (t) => {
  const good = credentialOf({ token: "SECRET" });
  const cases: Readonly<Record<string, readonly [unknown, string]>> = {
    "a text": ["SECRET", ": is no JSON"],
    "a list": ['["SECRET"]', ": must be an object, not a list"],
    "another kind": [{ ...good, kind: "SECRET" }, ".kind: must be ExecCredential"],
    "another version": [{ ...good, apiVersion: "SECRET" }, ".apiVersion: must be client.authentication.k8s.io/v1"],
    "no status": [{ ...good, status: undefined }, ".status: must be an object, not nothing"],
    "an empty status": [credentialOf({}), ".status: holds neither a token nor a certificate"],
    "no key": [credentialOf({ clientCertificateData: "SECRET" }), ".status: holds a certificate or a key alone"],
    "no certificate": [
      credentialOf({ token: "SECRET", clientKeyData: "SECRET" }),
      ".status: holds a certificate or a key alone",
    ],
    "a number for a token": [{ ...good, status: { token: 512 } }, ".status.token: must be a string, not a number"],
    "no time": [
      credentialOf({ token: "SECRET", expirationTimestamp: "SECRET" }),
      ".status.expirationTimestamp: is no time in RFC 3339",
    ],
    "a time that never was": [
      credentialOf({ token: "SECRET", expirationTimestamp: "2030-13-41T00:00:00Z" }),
      ".status.expirationTimestamp: is no time in RFC 3339",
    ],
  };
  for (const [name, [answer, message]] of Object.entries(cases)) {
    const output = typeof answer === "string" ? answer : JSON.stringify(answer);
    const whole = `kubeconfig: users[0].user.exec.stdout${message}`;
    t.throws(() => readExecAnswer(output, PLUGIN), { name: "InputError", message: whole }, name);
  }
});
