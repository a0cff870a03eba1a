// Would what lies in scripts/deploy work on a cluster: does every name lead somewhere, can the daemon read its part?
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { loadConfiguration, validOptions } from "../src/commands/configuration.ts";
import { readRunArguments } from "../src/commands/run-arguments.ts";
import { DEFAULTS } from "../src/options/defaults.ts";
import { optionsOf } from "../src/options/options.ts";
import { readKubeconfig } from "../src/source/kubeconfig.ts";
import { clusterResources } from "../src/source/resources.ts";

const FOLDER = fileURLToPath(new URL("../scripts/deploy/", import.meta.url));

const named = z.object({ name: z.string() });
const container = named.extend({
  image: z.string(),
  command: z.tuple([z.string()], z.string()),
  env: z.array(named),
  securityContext: z.record(z.string(), z.unknown()),
  volumeMounts: z.array(named.extend({ mountPath: z.string(), readOnly: z.boolean().optional() })),
});
const pod = z.object({
  priorityClassName: z.literal("system-node-critical"),
  hostNetwork: z.literal(true),
  serviceAccountName: z.string(),
  nodeSelector: z.strictObject({ "kubernetes.io/os": z.literal("linux") }),
  tolerations: z.tuple([z.strictObject({ operator: z.literal("Exists") })]),
  initContainers: z.array(container).default([]),
  containers: z.tuple([container]),
  volumes: z.array(named.extend({ configMap: named.optional(), hostPath: z.object({ path: z.string() }).optional() })),
});
const metadata = named.extend({ namespace: z.string().optional() });
const rule = z.object({ apiGroups: z.array(z.string()), resources: z.array(z.string()), verbs: z.array(z.string()) });
const roleRef = named.extend({ kind: z.string() });
const subjects = z.array(roleRef.extend({ namespace: z.string().optional() }));
const role = { metadata, rules: z.array(rule) };
const binding = { metadata, roleRef, subjects };
const OBJECT = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ServiceAccount"), metadata }),
  z.object({ kind: z.literal("ClusterRole"), ...role }),
  z.object({ kind: z.literal("Role"), ...role }),
  z.object({ kind: z.literal("ClusterRoleBinding"), ...binding }),
  z.object({ kind: z.literal("RoleBinding"), ...binding }),
  z.object({ kind: z.literal("ConfigMap"), metadata, data: z.record(z.string(), z.string()) }),
  z.object({ kind: z.literal("DaemonSet"), metadata, spec: z.object({ template: z.object({ spec: pod }) }) }),
]);
type Manifest = z.infer<typeof OBJECT>;
type Kind<K extends Manifest["kind"]> = Extract<Manifest, { kind: K }>;

function read(file: string): readonly Manifest[] {
  const documents = parseAllDocuments(readFileSync(join(FOLDER, file), "utf8"), { strict: true });
  return documents.map((document) => {
    t.strictSame(document.errors, [], file);
    return OBJECT.parse(document.toJS());
  });
}

const FILES = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));
const ALL = new Map(FILES.map((file) => [file, read(file)]));
const OBJECTS = [...ALL.values()].flat();

function only<K extends Manifest["kind"]>(kind: K, name: string): Kind<K> {
  const [found, second] = OBJECTS.filter(
    (object): object is Kind<K> => object.kind === kind && object.metadata.name === name,
  );
  if (!found || second) throw new Error(`not exactly one ${kind} ${name}`);
  return found;
}

const CONFIG_MAP = only("ConfigMap", "kube-proxy");
const MOUNT = "/var/lib/kube-proxy";
const POD_FILES = Object.entries(CONFIG_MAP.data);

const DAEMON_SETS = [...ALL].flatMap(([file, objects]) =>
  objects.flatMap((object) => (object.kind === "DaemonSet" ? [{ file, spec: object.spec.template.spec }] : [])),
);

t.equal(DAEMON_SETS.length, 2);

for (const { file, spec } of DAEMON_SETS) {
  const containers = [...spec.initContainers, ...spec.containers];

  t.test(`${file}: the command is kube-proxy's, with flags that we know`, async (t) => {
    for (const { command } of containers) {
      const [program, ...flags] = command;
      t.equal(program, "/usr/local/bin/kube-proxy");
      const asked = readRunArguments(flags);
      t.match(asked, { kind: "run", manifests: [] });
      const given = asked.kind === "run" ? asked.given : new Map();
      t.strictSame(given.get("config"), [`${MOUNT}/config.conf`]);
      t.strictSame(given.get("hostname-override"), ["$(NODE_NAME)"]);
    }
    t.strictSame(new Set(containers.flatMap(({ env }) => env.map(({ name }) => name))), new Set(["NODE_NAME"]));
  });

  t.test(`${file}: every volume is there, is used, and leads to where we look`, async (t) => {
    const names = new Set(spec.volumes.map(({ name }) => name));
    t.strictSame(new Set(containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name))), names);
    const paths = new Map(
      spec.volumes.map(({ name, hostPath, configMap }) => [name, hostPath?.path ?? configMap?.name]),
    );
    for (const { volumeMounts } of containers) {
      const mounts = volumeMounts.map(({ name, mountPath }) => [mountPath, paths.get(name)]);
      t.match(Object.fromEntries(mounts), { "/run/xtables.lock": "/run/xtables.lock", [MOUNT]: "kube-proxy" });
      t.notOk(volumeMounts.find(({ mountPath }) => mountPath === "/run/xtables.lock")?.readOnly, "the lock is taken");
    }
    only("ServiceAccount", spec.serviceAccountName);
  });

  t.test(`${file}: one image`, async (t) => {
    t.equal(new Set(containers.map(({ image }) => image)).size, 1);
  });
}

t.test("the daemon of least privilege has two capabilities, and an init container does what needs more", async (t) => {
  const spec = DAEMON_SETS.find(({ file }) => file === "least-privilege.yaml")?.spec;
  t.strictSame(spec?.containers[0].securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"], add: ["NET_ADMIN", "NET_RAW"] },
    seccompProfile: { type: "RuntimeDefault" },
  });
  t.match(spec?.initContainers, [{ securityContext: { privileged: true } }]);
  t.ok(spec?.initContainers[0]?.command.includes("--init-only"));
  t.notOk(spec?.containers[0].command.includes("--init-only"));
});

t.test("the ConfigMap's configuration comes to kube-proxy's defaults", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of POD_FILES) writeFileSync(join(folder, name), text);
  const { config, warnings } = await loadConfiguration(new Map([["config", [join(folder, "config.conf")]]]));
  t.strictSame(warnings, []);
  const kubeconfig = `${MOUNT}/kubeconfig.conf`;
  const own = { "clientConnection.kubeconfig": kubeconfig, clusterCIDR: "10.244.0.0/16" };
  const defaults = { ...DEFAULTS, mode: "iptables", detectLocalMode: "ClusterCIDR", ...own };
  t.strictSame(validOptions(config), optionsOf(defaults));
  t.ok(CONFIG_MAP.data["kubeconfig.conf"], "the file that it names is in the ConfigMap");
});

t.test("the ConfigMap's kubeconfig is that of the Pod's service account", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const account = "/var/run/secrets/kubernetes.io/serviceaccount";
  const text = CONFIG_MAP.data["kubeconfig.conf"] ?? "";
  t.match(text, `certificate-authority: ${account}/ca.crt`);
  t.match(text, `tokenFile: ${account}/token`);
  // Only in a Pod are these files where the text says.
  for (const name of ["ca.crt", "token"]) writeFileSync(join(folder, name), "x");
  writeFileSync(join(folder, "kubeconfig"), text.replaceAll(account, folder));
  t.match(await readKubeconfig(join(folder, "kubeconfig")), { server: /https:\/\/control-plane\.example:6443/ });
});

t.test("the role covers what we ask of the API server, and is bound to who asks", async (t) => {
  const { rules } = only("ClusterRole", "system:node-proxier");
  const may = (group: string, resource: string, verb: string) =>
    rules.some(
      ({ apiGroups, resources, verbs }) =>
        apiGroups.includes(group) && resources.includes(resource) && verbs.includes(verb),
    );
  for (const { path, name } of clusterResources("worker-a")) {
    const [, group = ""] = /^\/apis\/([^/]+)\//.exec(path) ?? [];
    for (const verb of ["list", "watch"]) t.ok(may(group, name, verb), `${verb} ${name}`);
  }
  for (const verb of ["create", "patch"]) t.ok(may("events.k8s.io", "events", verb), `${verb} events`);
  const { roleRef, subjects } = only("ClusterRoleBinding", "kubeadm:node-proxier");
  t.strictSame(roleRef, { name: "system:node-proxier", kind: "ClusterRole" });
  t.match(subjects, [{ kind: "ServiceAccount", name: "kube-proxy", namespace: "kube-system" }]);
  t.match(only("RoleBinding", "kube-proxy").roleRef, { kind: "Role", name: only("Role", "kube-proxy").metadata.name });
});

t.test("the image has what its command needs, where it looks for it", async (t) => {
  const dockerfile = readFileSync(join(FOLDER, "Dockerfile"), "utf8");
  const launcher = readFileSync(join(FOLDER, "kube-proxy"), "utf8");
  const [first = ""] = launcher.split("\n");
  t.match(first, /^#!\/usr\/bin\/env -S .*\bnode /);
  t.ok(first.length < 127, "kernels before 5.1 read no more of such a line");
  t.match(launcher, 'import("../../dist/main.js")');
  t.match(dockerfile, /^COPY .*--from=build \/build\/dist \/opt\/fairlead\/dist$/m);
  t.match(dockerfile, /^COPY .* scripts\/deploy\/kube-proxy \/opt\/fairlead\/scripts\/deploy\/kube-proxy$/m);
  t.match(dockerfile, /^RUN ln -s \/opt\/fairlead\/scripts\/deploy\/kube-proxy \/usr\/local\/bin\/kube-proxy$/m);
  t.ok(statSync(join(FOLDER, "kube-proxy")).mode & 0o100, "it can be run");
  t.match(dockerfile, /^ENTRYPOINT \["\/usr\/local\/bin\/kube-proxy"\]$/m);
  t.match(dockerfile, /npm ci --omit=dev/);
  for (const name of ["iptables", "kmod", "netbase"]) t.match(dockerfile, new RegExp(`install .* ${name}\\b`));
  const allowed = readFileSync(join(FOLDER, "Dockerfile.dockerignore"), "utf8");
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(?:--\S+ )*(.*) \S+$/gm)].flatMap(([, all = ""]) =>
    all.split(" "),
  );
  t.ok(copied.length > 5);
  for (const path of copied) {
    t.ok(statSync(join(FOLDER, "../..", path)), path);
    t.match(allowed, new RegExp(`^!${path.split("/")[0]}$`, "m"), `${path} is not left out of the build`);
  }
});
