import t from "tap";
import { readKubeconfig } from "../../src/source/kubeconfig.ts";
import { writeKubeconfig } from "../support/kubeconfig.ts";

const CLUSTER = { server: "https://10.0.0.1:6443" };
const PEM = Buffer.from("PEM").toString("base64");
const EXEC = { apiVersion: "client.authentication.k8s.io/v1", command: "aws", interactiveMode: "Never" };

t.test("ways to say who we are", async (t) => {
  const cases: Readonly<Record<string, readonly [object, object]>> = {
    nobody: [{}, { authorization: { type: "none" }, certificate: undefined }],
    "a token": [{ token: "T" }, { authorization: { type: "token", token: { type: "text", text: "T" } } }],
    "a token file": [{ tokenFile: "/t" }, { authorization: { type: "token", token: { type: "file", path: "/t" } } }],
    "a token file before a token": [
      { token: "T", tokenFile: "/t" },
      { authorization: { type: "token", token: { type: "file", path: "/t" } } },
    ],
    "user and password": [
      { username: "u", password: "p" },
      { authorization: { type: "basic", username: "u", password: "p" } },
    ],
    "a plugin": [{ exec: EXEC }, { authorization: { type: "plugin", plugin: { command: "aws" } } }],
    "a token before a plugin": [{ token: "T", exec: EXEC }, { authorization: { type: "token" } }],
    "a client certificate, in files": [
      { "client-certificate": "/c", "client-key": "/k" },
      { certificate: { certificate: { type: "file", path: "/c" }, key: { type: "file", path: "/k" } } },
    ],
    "a client certificate, in place": [
      { "client-certificate-data": PEM, "client-key-data": PEM },
      { certificate: { certificate: { type: "text", text: "PEM" }, key: { type: "text", text: "PEM" } } },
    ],
    "as somebody else": [
      { as: "jane", "as-uid": "7", "as-groups": ["dev", "ops"], "as-user-extra": { "example.org/x": ["1"] } },
      {
        impersonation: {
          "Impersonate-User": "jane",
          "Impersonate-Uid": "7",
          "Impersonate-Group": ["dev", "ops"],
          "Impersonate-Extra-example.org%2Fx": ["1"],
        },
      },
    ],
  };
  for (const [name, [user, identity]] of Object.entries(cases)) {
    const folder = writeKubeconfig(t, { cluster: CLUSTER, user: { ...user } });
    t.match((await readKubeconfig(`${folder}/kubeconfig`)).identity, identity, name);
  }
});

t.test("fields that cannot be used", async (t) => {
  const cases: Readonly<Record<string, readonly [object, string]>> = {
    "a certificate without a key": [{ "client-certificate-data": PEM }, "client-key: is missing"],
    "a key twice": [{ "client-key": "k", "client-key-data": PEM }, "client-key: is given beside client-key-data"],
    "token and password": [{ token: "SECRET", username: "u" }, "username: is given beside a token"],
    "a provider of old": [{ "auth-provider": { name: "gcp" } }, "auth-provider: is no longer supported, use exec"],
    "groups of nobody": [{ "as-groups": ["g"] }, "as: is missing beside as-uid, as-groups or as-user-extra"],
    "a number for a token": [{ token: 123456 }, "token: must be a string, not a number"],
  };
  for (const [name, [user, message]] of Object.entries(cases)) {
    const path = `${writeKubeconfig(t, { cluster: CLUSTER, user: { ...user } })}/kubeconfig`;
    await t.rejects(readKubeconfig(path), { message: `${path}: users[0].user.${message}` }, name);
  }
});
