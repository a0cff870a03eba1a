import { writeFileSync } from "node:fs";
import t from "tap";
import { readKubeconfig } from "../../src/source/kubeconfig.ts";

const KUBEADM = `
apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority: /var/run/secrets/kubernetes.io/serviceaccount/ca.crt
    server: https://10.0.0.1:6443
  name: default
contexts:
- context:
    cluster: default
    namespace: default
    user: default
  name: default
current-context: default
users:
- name: default
  user:
    tokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
`;

t.test("what kubeadm writes for a node proxy", async (t) => {
  const path = `${t.testdir({ "kubeconfig.conf": KUBEADM })}/kubeconfig.conf`;
  const file = (name: string, field: string) => ({
    type: "file",
    path: `/var/run/secrets/kubernetes.io/serviceaccount/${name}`,
    place: { source: path, field },
  });
  t.strictSame(await readKubeconfig(path), {
    server: new URL("https://10.0.0.1:6443"),
    authorities: file("ca.crt", "clusters[0].cluster.certificate-authority"),
    insecure: false,
    identity: {
      authorization: { type: "token", token: file("token", "users[0].user.tokenFile") },
      impersonation: {},
    },
  });
  t.match(await readKubeconfig(path, "https://192.0.2.1:443"), { server: new URL("https://192.0.2.1:443") });
});

const CONTEXTS = `
current-context: b
contexts:
- {name: a, context: {cluster: broken, user: broken}}
- {name: b, context: {cluster: good}}
clusters:
- {name: broken, cluster: {server: 7}}
- {name: good, cluster: {server: http://127.0.0.1:8080}}
users: null
`;

t.test("only what the current context names is looked at, and it need not name a user", async (t) => {
  const path = `${t.testdir({ kubeconfig: CONTEXTS })}/kubeconfig`;
  t.match(await readKubeconfig(path), {
    server: new URL("http://127.0.0.1:8080"),
    identity: { authorization: { type: "none" } },
  });
});

t.test("a file that names no server says where it fails", async (t) => {
  const folder = t.testdir({});
  const cases: Readonly<Record<string, readonly [string, string]>> = {
    "an empty file": ["", "must be an object, not nothing"],
    "a list": ["[]", "must be an object, not a list"],
    "no current context": ["contexts: []", "current-context: is missing"],
    "no such context": ["current-context: gone", 'current-context: there is no context "gone"'],
    "no such cluster": [CONTEXTS.replace("good,", "bad,"), 'contexts[1].context.cluster: there is no cluster "good"'],
    "no cluster": [CONTEXTS.replace("cluster: good", ""), "contexts[1].context.cluster: is missing"],
    "no such user": [
      CONTEXTS.replace("cluster: good", "cluster: good, user: me"),
      'contexts[1].context.user: there is no user "me"',
    ],
    "two clusters of a name": [CONTEXTS.replace("{name: broken,", "{name: good,"), "clusters[0].name: is there twice"],
    "an entry without its content": [
      CONTEXTS.replace(", cluster: {server: http://127.0.0.1:8080}", ""),
      "clusters[1].cluster: must be an object, not nothing",
    ],
    "a server of the wrong type": [
      CONTEXTS.replace("current-context: b", "current-context: a"),
      "clusters[0].cluster.server: must be a string, not a number",
    ],
  };
  for (const [name, [text, message]] of Object.entries(cases)) {
    writeFileSync(`${folder}/kubeconfig`, text);
    await t.rejects(readKubeconfig(`${folder}/kubeconfig`), { message: `${folder}/kubeconfig: ${message}` }, name);
  }
  await t.rejects(
    readKubeconfig(`${folder}/none`),
    { message: `${folder}/none: cannot be read: no such file or directory` },
    "no file",
  );
});
