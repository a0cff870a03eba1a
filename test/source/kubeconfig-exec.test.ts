import t from "tap";
import { readKubeconfig } from "../../src/source/kubeconfig.ts";
import { writeKubeconfig } from "../support/kubeconfig.ts";

const CLUSTER = { server: "https://10.0.0.1:6443/" };
const EXEC = { apiVersion: "client.authentication.k8s.io/v1", command: "aws", interactiveMode: "Never" };
const BETA = { apiVersion: "client.authentication.k8s.io/v1beta1", command: "aws" };

async function readPlugin(path: string) {
  const { authorization } = (await readKubeconfig(path)).identity;
  return authorization.type === "plugin" ? authorization.plugin : undefined;
}

t.test("every field of a plugin", async (t) => {
  const folder = writeKubeconfig(t, {
    cluster: CLUSTER,
    user: {
      exec: {
        ...EXEC,
        command: "./bin/login",
        args: ["--cluster", "one"],
        env: [{ name: "PROFILE", value: "node" }, { name: "EMPTY" }],
        installHint: "ask the platform team",
        interactiveMode: "Always",
      },
    },
  });
  t.strictSame(await readPlugin(`${folder}/kubeconfig`), {
    place: { source: `${folder}/kubeconfig`, field: "users[0].user.exec" },
    apiVersion: "client.authentication.k8s.io/v1",
    command: `${folder}/bin/login`,
    args: ["--cluster", "one"],
    env: { PROFILE: "node", EMPTY: "" },
    installHint: "ask the platform team",
    interactiveMode: "Always",
  });
});

t.test("the beta version need not say whether it may ask, and a bare name is left to PATH", async (t) => {
  const folder = writeKubeconfig(t, { cluster: CLUSTER, user: { exec: BETA } });
  t.match(await readPlugin(`${folder}/kubeconfig`), { command: "aws", args: [], interactiveMode: "IfAvailable" });
});

t.test("a plugin that asks for it is told of the cluster", async (t) => {
  const user = { exec: { ...EXEC, provideClusterInfo: true } };
  const config = { audience: "one" };
  const cluster = {
    ...CLUSTER,
    "tls-server-name": "api.example",
    "certificate-authority": "ca.crt",
    "proxy-url": "http://proxy:3128",
    "disable-compression": true,
    extensions: [{ name: "client.authentication.k8s.io/exec", extension: config }],
  };
  const told = {
    server: "https://10.0.0.1:6443",
    "tls-server-name": "api.example",
    "certificate-authority-data": Buffer.from("CA").toString("base64"),
    "proxy-url": "http://proxy:3128",
    "disable-compression": true,
    config,
  };
  const folder = writeKubeconfig(t, { cluster, user }, { "ca.crt": "CA" });
  t.strictSame((await readPlugin(`${folder}/kubeconfig`))?.cluster, told, "all there is");

  const { "certificate-authority": _, ...rest } = cluster;
  const data = { ...rest, "certificate-authority-data": Buffer.from("CA").toString("base64") };
  const inPlace = writeKubeconfig(t, { cluster: data, user });
  t.strictSame((await readPlugin(`${inPlace}/kubeconfig`))?.cluster, told, "the authority in place");

  const bare = writeKubeconfig(t, { cluster: { ...CLUSTER, "insecure-skip-tls-verify": true }, user });
  const little = { server: "https://10.0.0.1:6443", "insecure-skip-tls-verify": true, config: null };
  t.strictSame((await readPlugin(`${bare}/kubeconfig`))?.cluster, little, "no authority");

  const gone = writeKubeconfig(t, { cluster: { ...CLUSTER, "certificate-authority": "ca.crt" }, user });
  await t.rejects(readPlugin(`${gone}/kubeconfig`), {
    message: `${gone}/kubeconfig: clusters[0].cluster.certificate-authority: ${gone}/ca.crt cannot be read: no such file or directory`,
  });
});

t.test("fields that cannot be used", async (t) => {
  const versions = "client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1";
  const modes = "Never or IfAvailable or Always";
  const cases: Readonly<Record<string, readonly [object, string]>> = {
    "no command": [{ ...EXEC, command: "" }, "command: is missing"],
    "no version": [{ command: "aws" }, `apiVersion: must be ${versions}`],
    "an alpha version": [
      { ...EXEC, apiVersion: "client.authentication.k8s.io/v1alpha1" },
      `apiVersion: must be ${versions}`,
    ],
    "no mode": [{ ...EXEC, interactiveMode: "" }, `interactiveMode: must be ${modes}`],
    "an unknown mode": [{ ...BETA, interactiveMode: "Maybe" }, `interactiveMode: must be ${modes}`],
    "a variable without a name": [
      { ...EXEC, env: [{ name: "A", value: "SECRET" }, { value: "SECRET" }] },
      "env[1].name: is no name of a variable",
    ],
    "a text for arguments": [{ ...EXEC, args: "SECRET" }, "args: must be a list, not a string"],
  };
  for (const [name, [exec, message]] of Object.entries(cases)) {
    const path = `${writeKubeconfig(t, { cluster: CLUSTER, user: { exec } })}/kubeconfig`;
    await t.rejects(readKubeconfig(path), { message: `${path}: users[0].user.exec.${message}` }, name);
  }
});
