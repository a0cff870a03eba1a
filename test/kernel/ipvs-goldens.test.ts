// Do the operator's own tools take what `render` prints of IPVS mode, and show the same again?
import "../support/enter-sandbox.ts";

import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import type { RunCommand } from "../../src/kernel/command.ts";
import { iptablesOf } from "../../src/kernel/iptables.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { ipsetSkipReason } from "../support/ipset-tool.ts";
import { VARIANTS, variantSkip } from "../support/iptables-variant.ts";
import { commandIn } from "../support/namespace-command.ts";
import { makeNetns, removeNetns } from "../support/netns.ts";
import { savedTables } from "../support/saved-tables.ts";
import { wantedClusters } from "../support/wanted.ts";

const skip = ipsetSkipReason();
t.setTimeout(600_000);

for (const variant of VARIANTS) {
  t.test(`through ${variant}`, { skip: skip || variantSkip(variant) }, async (t) => {
    for (const { name, folder } of await wantedClusters("ipvs")) {
      await t.test(name, async (t) => {
        const node = await makeNetns("ipvs");
        t.teardown(() => removeNetns(node));
        const run = commandIn(node, variant);
        const matches = await knowsIpvsMatch(run);
        const kind = (await knowsDummy(run)) ? "dummy" : "bridge";
        if (!matches) t.comment("no ipvs match in this kernel: rules of KUBE-IPVS-OUT-FILTER are left out");
        if (kind !== "dummy") t.comment("no dummy interfaces in this kernel: a bridge takes the addresses");
        for (const family of FAMILIES) {
          const golden = readFileSync(join(folder, `ipvs.${family === "IPv4" ? "v4" : "v6"}.rules`), "utf8");
          const sets = sectionOf(golden, "ipset");
          await run({ program: "ipset", args: ["restore"], input: [sets] });
          t.strictSame(await savedSets(run, family), sets.trimEnd().split("\n").sort(), `${family}: sets`);
          const text = sectionOf(golden, iptablesOf(family));
          const tables = matches ? text : text.replace(/^.* -m ipvs .*\n/gm, "");
          await run({ program: `${iptablesOf(family)}-restore`, args: ["--noflush"], input: [tables] });
          t.strictSame(await savedTables(run, family), tables.trimEnd().split("\n"), `${family}: tables`);
          const addresses = sectionOf(golden, "addresses");
          // The families share the interface, which is made but once.
          const input = family === "IPv4" ? addresses : addresses.replace(/^link add .*\n/, "");
          await run({ program: "ip", args: ["-batch", "-"], input: [input.replace("type dummy", `type ${kind}`)] });
          t.strictSame(await shownAddresses(run, family), wantedAddresses(addresses), `${family}: addresses`);
        }
        const link = await run({ program: "ip", args: ["link", "show", "kube-ipvs0"] });
        t.match(link, /> mtu 1500 qdisc noop state DOWN mode DEFAULT group default *\n/, "down, and without a queue");
      });
    }
  });
}

/** What stands under a heading. */
function sectionOf(golden: string, name: string): string {
  const [, text = ""] = golden.split(`# ${name}\n`);
  return `${text.split("\n\n")[0]?.trimEnd()}\n`;
}

/** Sets of the family and what is in them, without what the kernel made up; in no order of its own. */
async function savedSets(run: RunCommand, family: Family): Promise<readonly string[]> {
  const lines = (await run({ program: "ipset", args: ["save"] })).trimEnd().split("\n");
  return lines
    .filter((line) => line.includes(" KUBE-6-") === (family === "IPv6"))
    .map((line) => line.replace(/ bucketsize \d+ initval 0x[0-9a-f]+$/, ""))
    .sort();
}

async function shownAddresses(run: RunCommand, family: Family): Promise<readonly string[]> {
  const args = ["-o", family === "IPv4" ? "-4" : "-6", "address", "show", "dev", "kube-ipvs0"];
  const lines = (await run({ program: "ip", args })).split("\n");
  return lines.flatMap((line) => / inet6? (\S+) scope global /.exec(line)?.[1] ?? []).sort();
}

function wantedAddresses(section: string): readonly string[] {
  return [...section.matchAll(/^address add (\S+) /gm)].map(([, address = ""]) => address).sort();
}

async function knowsDummy(run: RunCommand): Promise<boolean> {
  const input = ["link add trial type dummy\nlink delete trial\n"];
  return works(run({ program: "ip", args: ["-batch", "-"], input }));
}

async function knowsIpvsMatch(run: RunCommand): Promise<boolean> {
  const rule = "-A TRIAL -m ipvs --vproto 6 --vaddr 192.0.2.1 --vport 80 -j DROP";
  const input = [`*filter\n:TRIAL - [0:0]\n${rule}\nCOMMIT\n*filter\n-F TRIAL\n-X TRIAL\nCOMMIT\n`];
  return works(run({ program: "iptables-restore", args: ["--noflush"], input }));
}

function works(tried: Promise<unknown>): Promise<boolean> {
  return tried.then(
    () => true,
    () => false,
  );
}
