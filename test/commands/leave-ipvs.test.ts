// Does iptables mode get rid of what IPVS mode left on this host's kernel, which need not have IPVS?
import "../support/enter-sandbox.ts";

import { once } from "node:events";
import { connect, createServer } from "node:net";
import { execa } from "execa";
import t from "tap";
import type { Choice } from "../../src/commands/backend.ts";
import { leaveIpvs, NOTHING_LEFT } from "../../src/commands/leave-ipvs.ts";
import { runCommand } from "../../src/kernel/command.ts";
import { machine } from "../../src/kernel/kernel.ts";
import type { PassReport } from "../../src/sync/observer.ts";
import { ipset, ipsetSkipReason } from "../support/ipset-tool.ts";
import { keptLog } from "../support/kept-log.ts";
import { sandboxEnvironment } from "../support/sandbox.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(60_000);

const skip = ipsetSkipReason();

const env = sandboxEnvironment();

const WELL: PassReport = {
  elapsed: 1,
  scope: "full",
  refusedRestores: 0,
  steps: 1,
  sent: { filter: 0, nat: 0 },
  owned: () => ({ filter: 0, nat: 0 }),
  driftedLines: 0,
  setAside: [],
  withoutLocalEndpoints: { internal: 0, external: 0 },
  serviceHealth: [],
  triggers: [],
};

const FAILED: PassReport = { ...WELL, failure: { step: "iptables", code: "4", words: "no" } };

const COMPAT: Choice = { mode: "iptables", iptablesLayout: "Compat" };

async function leave(nodeIP = "127.0.0.1", choice = COMPAT) {
  const { logs, lines } = keptLog();
  const log = logs("leave-ipvs.ts");
  const leaving = await leaveIpvs({ kernel: machine(runCommand), families: ["IPv4"], nodeIP, log, choice });
  /** Waits until so many lines were said. */
  const said = async (count: number) => {
    for (let tries = 0; lines.length < count && tries < 200; tries++) await new Promise((done) => setTimeout(done, 10));
    return lines;
  };
  return { leaving, lines, said };
}

t.test("on a node that never had IPVS mode there is nothing to do", { skip }, async (t) => {
  const { leaving, lines } = await leave();
  t.equal(leaving, NOTHING_LEFT);
  t.strictSame(lines, []);
  leaving.observer.passed("IPv4", WELL);
  await leaving.stop();
});

t.test("sets go when rules are in, and not when a pass failed", { skip }, async (t) => {
  t.teardown(() => ipset(["destroy"]));
  ipset(["restore"], "create KUBE-IPVS-IPS hash:ip\ncreate OTHER hash:ip\n");
  const { leaving, said, lines } = await leave();
  t.teardown(() => leaving.stop());
  t.strictSame(lines, [
    '"Found state of a previous proxy mode; it will be removed after the first sync" sets="KUBE-IPVS-IPS"',
  ]);
  leaving.observer.passed("IPv4", FAILED);
  await new Promise((done) => setTimeout(done, 50));
  t.match(ipset(["list", "-n"]), /KUBE-IPVS-IPS/);
  leaving.observer.passed("IPv4", WELL);
  t.strictSame((await said(2))[1], '"Nothing of another mode is left"');
  t.equal(ipset(["list", "-n"]), "OTHER\n");
});

t.test("the node's own new connections have its own address, though that of the Service stays", { skip }, async (t) => {
  const ip = async (line: string) => (await execa("ip", line.split(" "), { env })).stdout;
  await ip("link set lo up");
  await ip("addr add 192.0.2.10/32 dev lo");
  await ip("link add kube-ipvs0 type bridge");
  t.teardown(() => ip("link del kube-ipvs0"));
  for (const address of ["10.96.1.1", "10.96.1.2"]) await ip(`addr add ${address}/32 dev kube-ipvs0`);
  const server = createServer().listen(80, "10.96.1.1");
  t.teardown(() => server.close());
  const old = connect({ host: "10.96.1.1", port: 80 });
  await once(old, "connect");
  t.teardown(() => old.destroy());
  t.equal(old.localAddress, "10.96.1.1");
  const { leaving, said } = await leave("192.0.2.10");
  t.teardown(() => leaving.stop());
  const young = connect({ host: "10.96.1.1", port: 80 });
  await once(young, "connect");
  t.equal(young.localAddress, "192.0.2.10");
  young.destroy();
  leaving.observer.passed("IPv4", WELL);
  t.match((await said(2))[1], /Waiting for connections .* to end" waiting="10\.96\.1\.1"/);
  t.notMatch(await ip("route show table local"), /10\.96\.1\.2/, "the other address is gone, with its route");
});

t.test("an interface that somebody else made keeps what is on it from nobody else", { skip }, async (t) => {
  await execa("ip", ["link", "add", "kube-ipvs0", "type", "bridge"], { env });
  t.teardown(() => execa("ip", ["link", "del", "kube-ipvs0"], { env }));
  const { leaving, said } = await leave();
  t.teardown(() => leaving.stop());
  leaving.observer.passed("IPv4", WELL);
  t.match(await said(2), [
    /interface="kube-ipvs0"$/,
    /^"Cannot remove what the previous proxy mode left; retrying at growing intervals" err=".*not of kind dummy/,
  ]);
});

const SETS = "create KUBE-IPVS-IPS hash:ip\ncreate KUBE-IX-LOOP-BACK hash:ip,port,ip\ncreate OTHER hash:ip\n";

const LEFT: readonly (Choice & { readonly stay: readonly string[] })[] = [
  { mode: "iptables", iptablesLayout: "Compat", stay: ["OTHER"] },
  { mode: "iptables", iptablesLayout: "Indexed", stay: ["KUBE-IX-LOOP-BACK", "OTHER"] },
  { mode: "ipvs", iptablesLayout: "Indexed", stay: ["KUBE-IPVS-IPS", "OTHER"] },
];

for (const { stay, ...choice } of LEFT) {
  t.test(`only sets of others go: ${choice.mode}, ${choice.iptablesLayout}`, { skip }, async (t) => {
    t.teardown(() => ipset(["destroy"]));
    ipset(["restore"], SETS);
    const { leaving, said } = await leave(undefined, choice);
    t.teardown(() => leaving.stop());
    leaving.observer.passed("IPv4", WELL);
    await said(2);
    t.strictSame(ipset(["list", "-n"]).trim().split("\n").sort(), stay);
  });
}
