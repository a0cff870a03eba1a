import { writeFileSync } from "node:fs";
import t, { type Test } from "tap";
import type { Access, Identity, Material } from "../../src/source/access.ts";
import { Credentials } from "../../src/source/credentials.ts";
import { credentialOf, describePlugin, writePlugin } from "../support/exec-plugin.ts";
import { HandTiming } from "../support/timing.ts";

const NOBODY: Identity = { authorization: { type: "none" }, impersonation: {} };
const text = (said: string): Material => ({ type: "text", text: said, place: {} });
const file = (path: string): Material => ({ type: "file", path, place: {} });
const PAIR = { certificate: text("CERTIFICATE"), key: text("KEY") };
const NO_TLS = { authorities: undefined, certificate: undefined, key: undefined };

function credentialsOf(t: Test, identity: Identity, more: Partial<Access> = {}) {
  const access = { server: new URL("https://10.0.0.1"), insecure: false, identity, ...more };
  return new Credentials(access, { timing: new HandTiming(), warn: t.fail });
}

t.test("what a request shows of us", async (t) => {
  const cases: Readonly<Record<string, readonly [Identity, object]>> = {
    nobody: [NOBODY, { headers: {}, tls: NO_TLS }],
    "a token": [
      { ...NOBODY, authorization: { type: "token", token: text("T\n") } },
      { headers: { authorization: "Bearer T" }, tls: NO_TLS },
    ],
    "user and password": [
      { ...NOBODY, authorization: { type: "basic", username: "user", password: "pass:word" } },
      { headers: { authorization: "Basic dXNlcjpwYXNzOndvcmQ=" }, tls: NO_TLS },
    ],
    "a certificate, as somebody else": [
      { ...NOBODY, certificate: PAIR, impersonation: { "Impersonate-User": "jane" } },
      { headers: { "Impersonate-User": "jane" }, tls: { ...NO_TLS, certificate: "CERTIFICATE", key: "KEY" } },
    ],
  };
  for (const [name, [identity, credential]] of Object.entries(cases)) {
    const credentials = credentialsOf(t, identity);
    t.strictSame(await credentials.current(), credential, name);
    t.notOk(credentials.renewable, `${name}: nothing to read again`);
  }
});

t.test("what a plugin gives, unless a certificate is given otherwise", async (t) => {
  const plugin = writePlugin(t.testdir({}));
  plugin.says(credentialOf({ token: "T", clientCertificateData: "C2", clientKeyData: "K2" }));
  const authorization = { type: "plugin", plugin: describePlugin(plugin.command) } as const;
  const credentials = credentialsOf(t, { ...NOBODY, authorization });
  t.strictSame(await credentials.readFiles(), NO_TLS, "the plugin does not run yet");
  t.equal(plugin.calls().length, 0);
  const headers = { authorization: "Bearer T" };
  t.strictSame(await credentials.current(), { headers, tls: { ...NO_TLS, certificate: "C2", key: "K2" } });
  const both = credentialsOf(t, { ...NOBODY, authorization, certificate: PAIR });
  t.strictSame(await both.current(), { headers, tls: { ...NO_TLS, certificate: "CERTIFICATE", key: "KEY" } });

  plugin.says(credentialOf({ clientCertificateData: "C2", clientKeyData: "K2" }));
  credentials.expire(await credentials.current());
  t.strictSame((await credentials.current()).headers, {}, "no token any more");
});

t.test("refused credentials are read anew, once for each", async (t) => {
  const plugin = writePlugin(t.testdir({}));
  plugin.says(credentialOf({ token: "one" }));
  const authorization = { type: "plugin", plugin: describePlugin(plugin.command) } as const;
  const credentials = credentialsOf(t, { ...NOBODY, authorization });
  t.ok(credentials.renewable);
  const first = await credentials.current();
  plugin.says(credentialOf({ token: "two" }));
  credentials.expire(first);
  const second = await credentials.current();
  t.strictSame(second.headers, { authorization: "Bearer two" });
  credentials.expire(first);
  await credentials.current();
  t.equal(plugin.calls().length, 2, "those that were refused late are known to be old");
});

t.test("certificates stay the same object until one of them changes", async (t) => {
  const folder = t.testdir({ ca: "CA", crt: "C", key: "K", token: "T" });
  const certificate = { certificate: file(`${folder}/crt`), key: file(`${folder}/key`) };
  const token = { type: "token", token: file(`${folder}/token`) } as const;
  const authorities = { authorities: file(`${folder}/ca`) };
  const credentials = credentialsOf(t, { ...NOBODY, authorization: token, certificate }, authorities);
  t.ok(credentials.renewable);
  const first = await credentials.readFiles();
  t.strictSame(first, { authorities: "CA", certificate: "C", key: "K" });
  const readAgain = async (name: string) => {
    writeFileSync(`${folder}/${name}`, "new");
    credentials.expire(await credentials.current());
    return (await credentials.current()).tls;
  };
  t.equal(await readAgain("token"), first);
  t.strictSame(await readAgain("ca"), { authorities: "new", certificate: "C", key: "K" });
  t.strictSame(await readAgain("crt"), { authorities: "new", certificate: "new", key: "K" });
  t.strictSame(await readAgain("key"), { authorities: "new", certificate: "new", key: "new" });
});
