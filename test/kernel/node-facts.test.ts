// Does the machine tell what it decides? In a namespace of its own, where nothing is there but what the test makes.
import "../support/enter-sandbox.ts";

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { type RunCommand, runCommand } from "../../src/kernel/command.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { netfilterCreate } from "../../src/kernel/netlink.ts";
import { ensureCounter, hasCounters, observeCounters } from "../../src/kernel/nfacct.ts";
import { whyUnusable } from "../../src/kernel/node-facts.ts";
import { refusalOf } from "../support/refusal.ts";
import { skipReason } from "../support/sandbox.ts";

const skip = skipReason();
const kernel = machine(runCommand);

t.before(async () => {
  if (skip) return;
  await execa("ip", ["link", "set", "lo", "up"]);
  await execa("ip", ["link", "add", "pods0", "type", "veth", "peer", "name", "pods1"]);
  await execa("ip", ["address", "add", "192.0.2.10/24", "dev", "pods0"]);
  await execa("ip", ["address", "add", "2001:db8:a::10/64", "dev", "pods0"]);
});

t.test("all addresses of all interfaces, of those that are down too", { skip }, async (t) => {
  const addresses = await kernel.addresses("all");
  const wanted = [
    { interface: "lo", address: "127.0.0.1" },
    { interface: "lo", address: "::1" },
    { interface: "pods0", address: "192.0.2.10" },
    { interface: "pods0", address: "2001:db8:a::10" },
  ];
  for (const one of wanted)
    t.ok(
      addresses.some((other) => JSON.stringify(other) === JSON.stringify(one)),
      one.address,
    );
});

t.test("those of the node alone, where IPVS mode may have thousands", { skip }, async (t) => {
  // Any kind will do: the name says whose it is, and not every test's kernel has dummies.
  await execa("ip", ["link", "add", "kube-ipvs0", "type", "bridge"]);
  await execa("ip", ["address", "add", "10.96.0.1/32", "dev", "kube-ipvs0"]);
  const addressesOf = async (of: "all" | "node") => (await kernel.addresses(of)).map(({ address }) => address);
  t.ok((await addressesOf("all")).includes("10.96.0.1"));
  t.notOk((await addressesOf("node")).includes("10.96.0.1"));
  t.ok((await addressesOf("node")).includes("192.0.2.10"));
});

t.test("versions, processors and the families that work", { skip }, async (t) => {
  const facts = await kernel.facts();
  t.match(facts, { iptablesVersion: /^\d+\.\d+/, kernelVersion: /^\d+\.\d+/, families: ["IPv4", "IPv6"] });
  t.ok(facts.cpus >= 1);
  t.equal(facts.tcpBeLiberal, false);
});

t.test("a family that was switched off, or whose tool does not work, is none", { skip }, async (t) => {
  const without =
    (missing: string): RunCommand =>
    async (command) => {
      if (command.program !== missing) return runCommand(command);
      throw new KernelError({ step: missing, target: "", code: "ENOENT", words: "no such program" });
    };
  t.strictSame((await machine(without("ip6tables")).facts()).families, ["IPv4"]);
  const blind = await machine(without("iptables")).facts();
  t.strictSame(blind.families, ["IPv6"]);
  t.notOk("iptablesVersion" in blind);
  writeFileSync("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
  t.strictSame((await kernel.facts()).families, ["IPv4"]);
  writeFileSync("/proc/sys/net/ipv6/conf/all/disable_ipv6", "0");
});

t.test("why a family does not work is told in the words of its tool", { skip }, async (t) => {
  const refuse: RunCommand = ({ program, args }) =>
    Promise.reject(new KernelError({ step: program, target: args.join(" "), code: "3", words: "no such table" }));
  t.equal(await whyUnusable(refuse, "IPv6"), "ip6tables -w 5 -S POSTROUTING -t nat: no such table (3)");
  t.match(await whyUnusable(runCommand, "IPv4"), /can be listed/);
  await t.rejects(
    whyUnusable(() => Promise.reject(new TypeError("a bug")), "IPv4"),
    TypeError,
  );
});

t.test("a fault of ours is not taken for a missing tool", { skip }, async (t) => {
  await t.rejects(machine(() => Promise.reject(new TypeError("a bug"))).facts(), TypeError);
});

t.test("a tool whose version cannot be read has none", { skip }, async (t) => {
  const odd: RunCommand = async (command) => (command.args[0] === "--version" ? "something else" : runCommand(command));
  t.notOk("iptablesVersion" in (await machine(odd).facts()));
});

t.test(
  "counters are made once and seen then",
  { skip: skip || (!(await hasCounters()) && "no nfacct in this kernel") },
  async (t) => {
    const name = "localhost_nps_accepted_pkts";
    t.strictSame(await observeCounters([name]), []);
    await ensureCounter(name);
    t.strictSame(await observeCounters([name, "no_such"]), [name]);
    await ensureCounter(name);
    const { done } = await kernel.apply({
      steps: [{ kind: "counter", name: "ct_state_invalid_dropped_pkts" }],
      kept: [],
    });
    t.equal(done.length, 1);
    t.match(await refusalOf(ensureCounter("a-name-that-is-longer-than-a-counter-may-have")), { step: "nfacct" });
  },
);

t.test("a message that is too long to be sent is a refusal too", { skip }, async (t) => {
  t.match(await refusalOf(netfilterCreate(0, Buffer.alloc(2_000_000))), {
    step: "netfilter netlink",
    words: /EMSGSIZE|too long/,
  });
});

t.test("without the right to administer networks, nothing is claimed", { skip }, async (t) => {
  const program = fileURLToPath(new URL("../support/without-net-admin.ts", import.meta.url));
  const bare = ["--bounding-set", "-net_admin", "--inh-caps", "-net_admin"];
  const { stdout } = await execa("setpriv", [...bare, process.execPath, "--import=tsx", program]);
  t.match(JSON.parse(stdout), {
    hasCounters: false,
    moved: [true, true, true, true],
    refusal: /fairlead_test: the counter cannot be made \(EPERM\)/,
  });
});
