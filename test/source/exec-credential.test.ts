// Tests of credential plugins: how they are called, how long their credentials are kept, and how a run is counted.
import { X509Certificate } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import t from "tap";
import { type PluginCall, PluginCredentials, runPlugin } from "../../src/source/exec-credential.ts";
import { systemTiming, type Timing } from "../../src/source/timing.ts";
import { credentialOf, describePlugin, writePlugin } from "../support/exec-plugin.ts";
import { FIXTURES } from "../support/golden.ts";
import { HandTiming } from "../support/timing.ts";

const DAEMON = { timing: systemTiming, terminal: false };
const TOKEN = credentialOf({ token: "T" });

t.test("a plugin is told who asks, in its arguments and environment", async (t) => {
  const plugin = writePlugin(t.testdir({}));
  plugin.says(TOKEN);
  const cluster = { server: "https://10.0.0.1", config: null };
  const described = describePlugin(plugin.command, { args: ["-x", "two words"], env: { EXTRA: "more" }, cluster });
  t.strictSame(await runPlugin(described, DAEMON), { token: "T" });
  const info = {
    kind: "ExecCredential",
    apiVersion: "client.authentication.k8s.io/v1",
    spec: { cluster, interactive: false },
  };
  t.strictSame(plugin.calls(), [{ args: ["-x", "two words"], info, extra: "more" }]);
});

t.test("whether a plugin may ask the operator", async (t) => {
  const plugin = writePlugin(t.testdir({}));
  plugin.says(TOKEN);
  const cases = [
    { interactiveMode: "Never", terminal: true, interactive: false },
    { interactiveMode: "IfAvailable", terminal: true, interactive: true },
    { interactiveMode: "IfAvailable", terminal: false, interactive: false },
    { interactiveMode: "Always", terminal: true, interactive: true },
  ] as const;
  for (const { interactiveMode, terminal, interactive } of cases) {
    await runPlugin(describePlugin(plugin.command, { interactiveMode }), { ...DAEMON, terminal });
    t.match(plugin.calls().at(-1)?.info, { spec: { interactive } }, `${interactiveMode}, terminal: ${terminal}`);
  }
  const always = describePlugin("login", { interactiveMode: "Always" });
  const message = "kubeconfig: users[0].user.exec: login needs a terminal";
  await t.rejects(runPlugin(always, DAEMON), { name: "InputError", message });
});

t.test("a plugin that fails says why without a word of its output", async (t) => {
  const folder = t.testdir({ "no-program": "SECRET" });
  const scripts = {
    fails: "#!/bin/sh\necho SECRET\nexit 7\n",
    dies: "#!/bin/sh\necho SECRET\nkill -9 $$\n",
  };
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(`${folder}/${name}`, script);
    chmodSync(`${folder}/${name}`, 0o755);
  }
  const cases: Readonly<Record<string, string>> = {
    fails: "failed with exit code 7",
    dies: "failed: SIGKILL",
    "no-program": "failed: EACCES",
    gone: "not found",
  };
  for (const [name, reason] of Object.entries(cases)) {
    const message = `kubeconfig: users[0].user.exec: ${folder}/${name}: ${reason}`;
    await t.rejects(runPlugin(describePlugin(`${folder}/${name}`), DAEMON), { name: "InputError", message }, name);
  }
  const hinted = describePlugin(`${folder}/gone`, { installHint: "see\nthe wiki" });
  const message = `kubeconfig: users[0].user.exec: ${folder}/gone: not found: see\\u000athe wiki`;
  await t.rejects(runPlugin(hinted, DAEMON), { message }, "with a hint");
});

t.test("each run is reported with its outcome, as client-go counts it", async (t) => {
  const folder = t.testdir({ fails: "#!/bin/sh\nexit 7\n", dies: "#!/bin/sh\nkill -9 $$\n", "no-program": "" });
  for (const name of ["fails", "dies"]) chmodSync(`${folder}/${name}`, 0o755);
  const plugin = writePlugin(folder);
  const outcomeOf = async (command: string, timing: Timing = systemTiming) => {
    const calls: PluginCall[] = [];
    const called = (call: PluginCall) => calls.push(call);
    await runPlugin(describePlugin(command), { timing, terminal: false, called }).catch(() => {});
    return calls;
  };
  t.strictSame(await outcomeOf(`${folder}/fails`), [{ code: 7, status: "plugin_execution_error" }]);
  t.strictSame(await outcomeOf(`${folder}/dies`), [{ code: -1, status: "plugin_execution_error" }]);
  t.strictSame(await outcomeOf(`${folder}/gone`), [{ code: 1, status: "plugin_not_found_error" }]);
  t.strictSame(await outcomeOf(`${folder}/no-program`), [{ code: 1, status: "client_internal_error" }]);
  plugin.says("nonsense");
  t.strictSame(await outcomeOf(plugin.command), [{ code: 0, status: "no_error" }], "the answer is not its business");
  const key = readFileSync(`${FIXTURES}tls/worker-a.key`, "utf8");
  const certificate = readFileSync(`${FIXTURES}tls/worker-a.pem`, "utf8");
  plugin.says(credentialOf({ clientCertificateData: certificate, clientKeyData: key }));
  const { validFrom, validTo } = new X509Certificate(certificate);
  t.strictSame(await outcomeOf(plugin.command), [
    {
      code: 0,
      status: "no_error",
      certificate: { notBefore: Date.parse(validFrom), notAfter: Date.parse(validTo) },
    },
  ]);
  plugin.says(credentialOf({ clientCertificateData: "no PEM", clientKeyData: key }));
  t.strictSame(await outcomeOf(plugin.command), [{ code: 0, status: "no_error" }]);
});

t.test("a plugin that takes more than a minute is ended, whoever else holds its output", async (t) => {
  const folder = t.testdir({ slow: "#!/bin/sh\nsleep 5 &\nwait\n" });
  chmodSync(`${folder}/slow`, 0o755);
  const timing = new HandTiming();
  const running = t.rejects(runPlugin(describePlugin(`${folder}/slow`), { timing, terminal: false }), {
    message: `kubeconfig: users[0].user.exec: ${folder}/slow: gave no answer within 60 seconds`,
  });
  await timing.advance(60_000);
  await running;
});

t.test("what a plugin gave is kept until it expires or is refused", async (t) => {
  const plugin = writePlugin(t.testdir({}));
  const credentials = new PluginCredentials(describePlugin(plugin.command), DAEMON);
  const tokenNow = async () => (await credentials.current()).token;
  plugin.says(credentialOf({ token: "one" }));
  t.equal(await tokenNow(), "one");
  plugin.says(credentialOf({ token: "two", expirationTimestamp: "2001-01-01T00:00:00Z" }));
  t.equal(await tokenNow(), "one", "no expiry: for ever");
  credentials.expire();
  t.equal(await tokenNow(), "two", "refused");
  plugin.says(credentialOf({ token: "three", expirationTimestamp: "2999-01-01T00:00:00Z" }));
  t.equal(await tokenNow(), "three", "expired");
  t.equal(await tokenNow(), "three", "good for long");
  t.equal(plugin.calls().length, 3);
});

t.test("many who ask at once get one run, its failure too", async (t) => {
  const plugin = writePlugin(t.testdir({}));
  const credentials = new PluginCredentials(describePlugin(plugin.command), DAEMON);
  plugin.says("nonsense");
  const failures = await Promise.allSettled([credentials.current(), credentials.current()]);
  t.strictSame(
    failures.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  plugin.says(TOKEN);
  const asked = [credentials.current(), credentials.current()];
  credentials.expire();
  asked.push(credentials.current());
  t.strictSame(await Promise.all(asked), [{ token: "T" }, { token: "T" }, { token: "T" }]);
  t.equal(plugin.calls().length, 2);
});
