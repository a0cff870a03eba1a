// Checks that `diff` reads a real kernel, and that what it prints brings the kernel to the desired state.
import "../support/enter-sandbox.ts";

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { runCommandLine } from "../../src/cli.ts";
import { CollectedOutput } from "../support/collected-output.ts";
import { FIXTURES } from "../support/golden.ts";
import { ipsetSkipReason } from "../support/ipset-tool.ts";
import { sandboxEnvironment, skipReason } from "../support/sandbox.ts";

const skip = skipReason();
t.setTimeout(120_000);

process.env.PATH = sandboxEnvironment().PATH;

const DEMO = [
  "diff",
  join(FIXTURES, "demo"),
  "--node",
  "worker-a",
  "--cluster-cidr",
  "10.244.0.0/16",
  "--nfacct=false",
];

async function ask(...args: readonly string[]) {
  const output = new CollectedOutput();
  const code = await runCommandLine([...DEMO, ...args], output);
  return { code, text: output.text, notes: output.notes };
}

function say(command: string, args: readonly string[], input = ""): string {
  const { status, stdout, stderr } = spawnSync(command, args, { input, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** Feeds each tool what is its own. */
async function carryOut(): Promise<void> {
  const part = async (section: string) => (await ask("-o", "restore", "--section", section)).text;
  for (const [section, tool] of [
    ["iptables", "iptables-restore"],
    ["ip6tables", "ip6tables-restore"],
  ] as const) {
    say(tool, ["--noflush"], await part(section));
  }
  say("sysctl", ["-p", "-"], await part("sysctl"));
}

t.test("from a fresh node to one with nothing to do, and back to that after other hands", { skip }, async (t) => {
  const fresh = await ask();
  t.equal(fresh.code, 1);
  t.match(
    fresh.text,
    /^sysctl\n- net\.ipv4\.conf\.all\.route_localnet = 0\n\+ net\.ipv4\.conf\.all\.route_localnet = 1$/m,
  );
  t.match(fresh.text, /^# IPv6$/m);
  await carryOut();
  t.match(await ask(), { code: 0, text: /^no differences \(2 families, \d+ chains compared\)\n$/, notes: [] });

  say("iptables", ["-t", "nat", "-D", "OUTPUT", "1"]);
  say("iptables", ["-t", "nat", "-F", "KUBE-POSTROUTING"]);
  say("iptables", ["-t", "nat", "-N", "KUBE-SEP-AAAAAAAAAAAAAAAA"]);
  const moved = await ask();
  t.strictSame(
    [moved.code, moved.text.match(/^(?:#|nat|filter) ?.*$/gm)],
    [1, ["# IPv4", "nat KUBE-POSTROUTING", "nat KUBE-SEP-AAAAAAAAAAAAAAAA (gone)", "nat OUTPUT"]],
  );
  await carryOut();
  t.equal((await ask()).code, 0);

  const output = new CollectedOutput();
  t.equal(await runCommandLine(["diff", "--from", ...DEMO.slice(1), "--to", "kernel"], output), 0);
  t.match(output.text, /^no differences \(2 families, /, "the kernel as the new state");

  const dump = "/run/node.dump";
  writeFileSync(dump, say("iptables-save", ["-c"]) + say("ip6tables-save", []));
  const saved = await ask("--from", dump, "--node-address", "127.0.0.1");
  t.match(saved, { code: 0, text: /^no differences \(2 families, / }, "what the tools print says the same");
});

t.test("what is not given is this machine's", { skip }, async (t) => {
  const output = new CollectedOutput();
  const code = await runCommandLine(["diff", join(FIXTURES, "demo"), "--ip-family", "ipv4"], output);
  t.equal(code, 1);
  t.match(output.notes[0], /^note: there is no Node .* among the inputs$/, "its name too");
});

t.test(
  "a set that another layout left goes, once no rule asks for it",
  { skip: skip || ipsetSkipReason() },
  async (t) => {
    await carryOut();
    say("ipset", ["create", "KUBE-IX-LOOP-BACK", "hash:ip,port,ip", "maxelem", "1048576"]);
    t.teardown(() => say("ipset", ["destroy"]));
    const { code, text, notes } = await ask();
    t.strictSame(
      [code, text.match(/^(?:#|nat|filter|ipset) ?.*$/gm)],
      [1, ["# IPv4", "ipset KUBE-IX-LOOP-BACK (gone)"]],
    );
    const remedy = 'run "fairlead cleanup --layout Indexed"';
    t.strictSame(notes, [`note: IPv4: left of layout Indexed: ipset KUBE-IX-LOOP-BACK; ${remedy}`]);
  },
);

t.test("a table of kube-proxy's nftables mode is named, with the command that deletes it", { skip }, async (t) => {
  await carryOut();
  for (const family of ["ip", "ip6"]) say("nft", ["add", "table", family, "kube-proxy"]);
  t.teardown(() => ["ip", "ip6"].map((family) => say("nft", ["delete", "table", family, "kube-proxy"])));
  const { code, notes } = await ask();
  t.equal(code, 0, "its rules are not compared");
  const noteOf = (family: string, name: string) =>
    `note: ${family}: mode nftables is in use: nftables table ${name}; run "nft delete table ${name}"`;
  t.strictSame(notes, [noteOf("IPv4", "ip kube-proxy"), noteOf("IPv6", "ip6 kube-proxy")]);
  const asNew = new CollectedOutput();
  await runCommandLine(["diff", "--from", ...DEMO.slice(1), "--to", "kernel", "-o", "json"], asNew);
  const { leftovers } = JSON.parse(asNew.text);
  t.match(leftovers, [{ family: "IPv4", of: "mode nftables" }, { family: "IPv6" }], "the kernel as the new state");
});

t.test("in the other layout a node has sets beside rules", { skip: skip || ipsetSkipReason() }, async (t) => {
  const { code, text } = await ask("--iptables-layout", "Indexed");
  t.equal(code, 1);
  t.match(text, /^ipset KUBE-IX-CLUSTER-IP \(new\)$/m);
  t.match(text, /^nat KUBE-IX-SVC-\w+ \(new\)$/m);
});

t.test("a node without IPv6 is compared in IPv4, and a note says so", { skip }, async (t) => {
  say("sysctl", ["-w", "net.ipv6.conf.all.disable_ipv6=1"]);
  t.teardown(() => say("sysctl", ["-w", "net.ipv6.conf.all.disable_ipv6=0"]));
  const { code, text, notes } = await ask();
  t.equal(code, 0);
  t.match(text, /^no differences \(1 family, \d+ chains compared\)\n$/);
  t.ok(notes.includes("note: IPv6 is not compared: IPv6 is switched off in this kernel"));
  t.match(await ask("--ip-family", "ipv6"), {
    code: 2,
    text: "",
    notes: [/cannot read this node's rules: IPv6 is switched off in this kernel; repair this, or pass a dump/],
  });
});
