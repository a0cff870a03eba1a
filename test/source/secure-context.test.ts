import t from "tap";
import type { Access } from "../../src/source/access.ts";
import { makeSecureContext } from "../../src/source/secure-context.ts";
import { tlsText } from "../support/tls-server.ts";

const given = (name: string) => ({ type: "text", text: "", place: { source: "kubeconfig", field: name } }) as const;
const BARE: Access = {
  server: new URL("https://10.0.0.1"),
  insecure: false,
  identity: { authorization: { type: "none" }, impersonation: {} },
};
const ACCESS: Access = {
  ...BARE,
  authorities: given("authority"),
  identity: { ...BARE.identity, certificate: { certificate: given("certificate"), key: given("key") } },
};
const NOTHING = { authorities: undefined, certificate: undefined, key: undefined };

t.test("certificates that can be used, or none", async (t) => {
  const [authorities, certificate, key] = ["authority.pem", "worker-a.pem", "worker-a.key"].map(tlsText);
  t.ok(makeSecureContext(ACCESS, { authorities, certificate, key }));
  t.ok(makeSecureContext(ACCESS, NOTHING));
});

t.test("what cannot be used is named by its field, without a word of it", async (t) => {
  const key = tlsText("worker-b.key");
  const cases: Readonly<Record<string, readonly [object, RegExp]>> = {
    "a key for an authority": [{ authorities: key }, /^kubeconfig: authority: holds no certificate in PEM form$/],
    "the key of another": [
      { certificate: tlsText("worker-a.pem"), key },
      /^kubeconfig: certificate: client certificate and key cannot be used: .*key values mismatch/,
    ],
    "a key that is none": [
      { certificate: tlsText("worker-a.pem"), key: "SECRET" },
      /^kubeconfig: certificate: client certificate and key cannot be used: /,
    ],
  };
  for (const [name, [material, pattern]] of Object.entries(cases)) {
    try {
      makeSecureContext(ACCESS, { ...NOTHING, ...material });
      t.fail(name);
    } catch (error) {
      t.match(error, { name: "InputError", message: pattern }, name);
      t.notMatch(String(error), /SECRET|PRIVATE/, name);
    }
  }
  t.throws(() => makeSecureContext(BARE, { ...NOTHING, authorities: "x" }), {
    message: "holds no certificate in PEM form",
  });
  t.throws(() => makeSecureContext(BARE, { ...NOTHING, certificate: "x", key: "x" }), {
    message: /^client certificate/,
  });
});
