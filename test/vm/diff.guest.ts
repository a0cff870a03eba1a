// Does what `diff -o restore` prints bring a kernel with IPVS where it should be, and back out of the mode?

import { join } from "node:path";
import { execa } from "execa";
import t from "tap";
import { runCommandLine } from "../../src/cli.ts";
import { CollectedOutput } from "../support/collected-output.ts";
import { FIXTURES } from "../support/golden.ts";

const CLUSTER = join(FIXTURES, "clusters/v11-source-ranges-without-node");
const OTHER = join(FIXTURES, "clusters/v12-external-ips");

const TOOLS: Readonly<Record<string, string>> = {
  sysctl: "sysctl -p -",
  ipset: "ipset restore",
  iptables: "iptables-restore --noflush",
  ip6tables: "ip6tables-restore --noflush",
  ipvs: "ipvsadm -R",
  addresses: "ip -batch -",
};

async function diff(folder: string, ...flags: readonly string[]) {
  const output = new CollectedOutput();
  const files = [join(folder, "cluster.yaml"), "--cluster-cidr", "10.71.0.0/16"];
  const facts = [
    "--node-facts",
    join(folder, "node-facts.yaml"),
    "--node",
    "alpha",
    "--nfacct=false",
    "--ip-family",
    "ipv4",
  ];
  const mode = flags.includes("--proxy-mode") ? [] : ["--proxy-mode", "ipvs"];
  const code = await runCommandLine(["diff", ...files, ...facts, ...mode, ...flags], output);
  return { code, text: output.text, notes: output.notes };
}

/** Feeds each tool its part, one after the other. */
async function carryOut(folder: string, ...flags: readonly string[]): Promise<void> {
  const { text } = await diff(folder, "-o", "restore", ...flags);
  for (const part of text.split(/^(?=# [a-z0-9]+$)/m)) {
    const [, tool = "", input = ""] = /^# (\S+)\n([\s\S]*)$/.exec(part) ?? [];
    await execa("sh", ["-c", TOOLS[tool] ?? "false"], { input });
  }
}

const NOTHING = { code: 0, text: /^no differences \([12] famil(?:y|ies), \d+ chains compared\)\n$/, notes: [] };

t.test("into the mode, from one cluster to another, past other hands, and out of it", async (t) => {
  for (const folder of [OTHER, CLUSTER]) {
    await carryOut(folder);
    t.match(await diff(folder), NOTHING);
  }

  for (const command of [
    "ipvsadm -E -t 10.96.1.5:443 -s lc",
    "ipvsadm -e -t 203.0.113.5:443 -r 10.71.2.3:8443 -m -w 5",
    "ipvsadm -a -t 10.96.1.5:443 -r 10.71.2.9:8443 -m",
    "ipvsadm -A -u 10.50.0.1:53 -s rr",
    "ipset del KUBE-CLUSTER-IP 10.96.1.5,tcp:443",
    "ip address del 203.0.113.5/32 dev kube-ipvs0",
  ]) {
    await execa("sh", ["-c", command]);
  }
  const { text } = await diff(CLUSTER);
  t.strictSame(text.match(/^(?:#|ipset|ipvs|addresses|nat|filter) .*$/gm), [
    "# IPv4",
    "ipvs 10.50.0.1:53/UDP (gone)",
    "# IPv4 Service shop/pub",
    "ipset KUBE-CLUSTER-IP",
    "ipvs 10.96.1.5:443/TCP",
    "ipvs 203.0.113.5:443/TCP",
    "addresses kube-ipvs0",
  ]);
  await carryOut(CLUSTER);
  await carryOut(CLUSTER);
  t.match(await diff(CLUSTER), NOTHING, "a real server that was told to drain goes the second time");

  await carryOut(CLUSTER, "--proxy-mode", "iptables");
  t.match(await diff(CLUSTER, "--proxy-mode", "iptables"), NOTHING);
  const { stdout } = await execa("sh", ["-c", "ip link show kube-ipvs0 2>&1; ipset save; ipvsadm -Sn"], {
    reject: false,
  });
  t.match(stdout, /^Device "kube-ipvs0" does not exist\.$/, "sets and servers are gone as well");
});
