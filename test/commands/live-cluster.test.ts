// Does a live cluster stand for manifests in every command that reads them?
import { spawn } from "node:child_process";
import { once } from "node:events";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { rawNode, rawService, rawSlice } from "../support/api-server/api-objects.ts";
import { waitUntil } from "../support/api-server/followed-cluster.ts";
import { FIXTURES } from "../support/golden.ts";
import { freePort } from "../support/http-client.ts";
import { writeKubeconfig } from "../support/kubeconfig.ts";
import { ask, startLiveCluster, USER } from "../support/live-cluster.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const DEMO = join(FIXTURES, "demo");
const FILES = ["asleep", "dns", "node", "web"].map((name) => join(DEMO, `${name}.yaml`));
const RANGE = ["--cluster-cidr", "10.244.0.0/16"];
const NODE = ["--node", "worker-a"];
const POD = { apiVersion: "v1", kind: "Pod", metadata: { namespace: "demo", name: "client" } };

/** `list services`, `list pods`. */
function asked({ requests }: { readonly requests: readonly { verb: string; resource: string }[] }) {
  return requests.map(({ verb, resource }) => `${verb} ${resource}`);
}

const ALL = ["list services", "list endpointslices", "list nodes"];

for (const mode of ["iptables", "ipvs"]) {
  t.test(`render in ${mode} mode prints what it prints of the same manifests`, async (t) => {
    const { server, kubeconfig } = await startLiveCluster(t, FILES);
    const flags = [...NODE, ...RANGE, "--proxy-mode", mode];
    const live = await ask("render", "--kubeconfig", kubeconfig, ...flags);
    t.strictSame(live, await ask("render", DEMO, ...flags));
    t.equal(live.code, 0);
    t.match(live.text, /10\.96\.0\.80/);
    t.strictSame(asked(server), ALL, "each is listed once, none is watched");
  });
}

t.test("diff against manifests: both sides are of the same node", async (t) => {
  const { server, kubeconfig } = await startLiveCluster(t, FILES);
  server.set(rawNode(hostname().toLowerCase(), "z"));
  const same = await ask("diff", "--kubeconfig", kubeconfig, "--from", DEMO, ...RANGE);
  t.match(same, { code: 0, text: /^no differences \(2 families, \d+ chains compared\)\n$/, notes: [] });
  server.set(rawService("more"));
  const more = await ask("diff", "--kubeconfig", kubeconfig, "--from", DEMO, ...RANGE);
  t.match(more, { code: 1, text: /ns\/more:http/ });
});

t.test("lint finds the same, at the path of each object", async (t) => {
  const { server, kubeconfig } = await startLiveCluster(t, FILES);
  const files = await ask("lint", DEMO, "-o", "json");
  const live = await ask("lint", "--kubeconfig", kubeconfig, ...NODE, "-o", "json");
  const remarks = (text: string) => {
    const {
      findings,
    }: {
      readonly findings: readonly { readonly id: string; readonly object: string; readonly field: string }[];
    } = JSON.parse(text);
    return findings.map(({ id, object, field }) => `${id} ${object} ${field}`).sort();
  };
  t.ok(remarks(files.text).length > 0);
  t.strictSame(remarks(live.text), remarks(files.text));
  t.equal(live.code, files.code);
  server.set(rawSlice("lost", "nobody", ["10.244.9.9"]));
  const { text } = await ask("lint", "--kubeconfig", kubeconfig, ...NODE);
  t.match(text, /^\/apis\/discovery\.k8s\.io\/v1\/namespaces\/ns\/endpointslices\/lost: .*\[slice-without-service\]/m);
});

t.test("trace asks for the Pod that is named, and for no other", async (t) => {
  const { server, kubeconfig } = await startLiveCluster(t, FILES);
  server.set({ ...POD, spec: { nodeName: "worker-a" }, status: { podIP: "10.244.0.99" } });
  const to = ["--to", "service/demo/web", ...RANGE, ...NODE];
  const live = await ask("trace", "--kubeconfig", kubeconfig, "--from", "pod/demo/client", ...to);
  t.match(live, { code: 0, text: /^TCP from 10\.244\.0\.99 to 10\.96\.0\.80:80/ });
  t.strictSame(asked(server), [...ALL, "list pods"]);
  t.match(server.requests.at(-1)?.url, /^\/api\/v1\/namespaces\/demo\/pods\?fieldSelector=metadata\.name%3Dclient&/);
  await ask("trace", "--kubeconfig", kubeconfig, "--from", "node", ...to);
  t.strictSame(asked(server).slice(4), ALL);
});

t.test("a Pod that must not be seen may be known by slices", async (t) => {
  const { server, kubeconfig } = await startLiveCluster(t, FILES);
  const endpoint = { addresses: ["10.244.0.98"], targetRef: { kind: "Pod", namespace: "demo", name: "client" } };
  server.set({ ...rawSlice("a", "b", []), endpoints: [endpoint] });
  server.fault({ trouble: { type: "status", code: 403, reason: "Forbidden" }, resource: "pods" });
  const flags = ["--from", "pod/demo/client", "--to", "service/demo/web", ...RANGE, ...NODE];
  const { code, text, notes } = await ask("trace", "--kubeconfig", kubeconfig, ...flags);
  t.equal(code, 0);
  t.match(text, /^TCP from 10\.244\.0\.98 to /);
  t.match(
    notes[0],
    /^note: \/api\/v1\/namespaces\/demo\/pods: cannot be listed: 403 Forbidden: .*; EndpointSlices may/,
  );
});

t.test("test reads the cluster once for all case files, each Pod once", async (t) => {
  const { server, kubeconfig } = await startLiveCluster(t, FILES);
  server.set({ ...POD, spec: { nodeName: "worker-a" }, status: { podIP: "10.244.0.99" } });
  const text =
    "node: worker-a\ncases:\n- {name: a, from: pod/demo/client, to: service/demo/asleep:http, rejected: true}\n" +
    "- {name: b, from: pod/demo/client, to: service/demo/asleep:http, rejected: true}\n";
  const folder = t.testdir({ "a.yaml": text, "b.yaml": `manifests: [/nowhere]\n${text}` });
  const cases = [join(folder, "a.yaml"), join(folder, "b.yaml")];
  const { code, text: told } = await ask("test", ...cases, ...RANGE, "--kubeconfig", kubeconfig);
  t.equal(code, 0, told);
  t.match(told, /8 passed, 0 failed/);
  t.strictSame(asked(server), [...ALL, "list pods"]);
});

t.test("a bad object is told with its API path, the rest is printed, with 2", async (t) => {
  const { server, kubeconfig } = await startLiveCluster(t, FILES);
  server.set(rawService("bad", { port: 0 }));
  const { code, notes, text } = await ask("render", "--kubeconfig", kubeconfig, ...NODE);
  t.equal(code, 2);
  t.match(notes, [/^error: \/api\/v1\/namespaces\/ns\/services\/bad: Service ns\/bad: spec\.ports\[0\]\.port: /]);
  t.match(text, /demo\/web:http/);
  const linted = await ask("lint", "--kubeconfig", kubeconfig, ...NODE);
  t.equal(linted.code, 2);
  t.match(linted.text, /^\/api\/v1\/namespaces\/ns\/services\/bad: error: Service ns\/bad: .*\[unreadable\]$/m);
});

t.test("the node is the one that is called as this host", async (t) => {
  const { server, kubeconfig } = await startLiveCluster(t, FILES);
  const name = hostname().toLowerCase();
  const stranger = await ask("render", "--kubeconfig", kubeconfig);
  const rendered = "note: rendered 3 Services, 2 families, 39 chains";
  t.strictSame(stranger.notes, [`note: there is no Node ${name} among the inputs: say --node`, rendered]);
  t.strictSame((await ask("render", "--kubeconfig", kubeconfig, "--node", "none")).notes, [
    "note: there is no Node none among the inputs",
    rendered,
  ]);
  server.set(rawNode(name, "z"));
  t.strictSame((await ask("render", "--kubeconfig", kubeconfig)).notes, [rendered]);
  t.strictSame((await ask("lint", "--kubeconfig", kubeconfig)).notes, []);
});

t.test("what people should know of the way there is told, by every command", async (t) => {
  const { server } = await startLiveCluster(t, FILES);
  const cluster = { server: server.url, "insecure-skip-tls-verify": true };
  const kubeconfig = join(writeKubeconfig(t, { cluster, user: USER }), "kubeconfig");
  for (const command of ["render", "lint"]) {
    const { notes } = await ask(command, "--kubeconfig", kubeconfig, ...NODE);
    t.match(notes, [/^warning: https:.*: the certificate of the server is not checked/], command);
  }
});

t.test("who is not known is told so", async (t) => {
  const { server } = await startLiveCluster(t, FILES);
  const cluster = { server: server.url, "insecure-skip-tls-verify": true };
  const kubeconfig = join(writeKubeconfig(t, { cluster, user: { token: "T" } }), "kubeconfig");
  const { code, notes } = await ask("render", "--kubeconfig", kubeconfig, ...NODE);
  t.equal(code, 2);
  t.match(notes, [/^fairlead: \/api\/v1\/services: cannot be listed: 401 Unauthorized: /]);
});

t.test("a cluster that cannot be read is told in one line, with 2, and nothing is printed", async (t) => {
  const { server, kubeconfig } = await startLiveCluster(t, FILES);
  const nobody = writeKubeconfig(t, { cluster: { server: `http://127.0.0.1:${await freePort()}` } });
  server.fault({ trouble: { type: "status", code: 403, reason: "Forbidden" }, resource: "nodes", times: 9 });
  const CASES: readonly [string, readonly string[], RegExp][] = [
    ["no file", ["--kubeconfig", "/nowhere"], /^fairlead: \/nowhere: cannot be read: no such file or directory$/],
    ["no server", ["--kubeconfig", join(nobody, "kubeconfig")], /\/api\/v1\/services: .*http:\/\/127.*ECONNREFUSED/],
    ["a refusal", ["--kubeconfig", kubeconfig], /^fairlead: \/api\/v1\/nodes: cannot be listed: 403 Forbidden: /],
    ["no Pod", ["--in-cluster"], /this is no Pod: KUBERNETES_SERVICE_HOST/],
    ["both", ["--in-cluster", "--kubeconfig", kubeconfig], /--kubeconfig and --in-cluster are mutually exclusive/],
    ["files too", ["--kubeconfig", kubeconfig, DEMO], /--kubeconfig and file arguments are mutually exclusive/],
    ["an empty name", ["--kubeconfig", ""], /--kubeconfig needs a file/],
  ];
  for (const command of ["render", "lint"]) {
    for (const [name, args, message] of CASES) {
      const { code, text, notes } = await ask(command, ...args);
      t.strictSame([code, text, notes.length], [2, "", 1], `${command}: ${name}: ${notes.join("\n")}`);
      t.match(notes[0], message, `${command}: ${name}`);
    }
  }
});

t.test("Ctrl-C ends it, however long the server takes", async (t) => {
  const { server, kubeconfig } = await startLiveCluster(t, FILES);
  server.fault({ trouble: { type: "stall", after: 10 }, times: 9 });
  const run = spawn(process.execPath, ["--import=tsx", MAIN, "render", "--kubeconfig", kubeconfig]);
  const ended = once(run, "exit");
  await waitUntil("the server is asked", () => server.requests.length > 0);
  run.kill("SIGINT");
  t.strictSame(await ended, [null, "SIGINT"]);
});
