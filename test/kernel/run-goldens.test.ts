// Does the daemon, following its files, leave exactly what the golden files say, cluster after cluster?
import "../support/enter-sandbox.ts";

import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import t, { type Test } from "tap";
import { parse, stringify } from "yaml";
import type { RunCommand } from "../../src/kernel/command.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { Daemon } from "../support/daemon.ts";
import { FIXTURES } from "../support/golden.ts";
import { ipsetSkipReason } from "../support/ipset-tool.ts";
import { VARIANTS, type Variant, variantEnvironment, variantSkip } from "../support/iptables-variant.ts";
import { commandIn } from "../support/namespace-command.ts";
import { makeNetns, removeNetns } from "../support/netns.ts";
import { skipReason } from "../support/sandbox.ts";
import { savedTables } from "../support/saved-tables.ts";
import { modeOf } from "../support/wanted.ts";

const skip = skipReason();
t.setTimeout(900_000);

/** Milliseconds until rules that are not there count as never coming. */
const PATIENCE = 15_000;

const CLUSTERS = join(FIXTURES, "clusters");

/** What the commands that read no machine take for granted; the daemon would ask the machine at hand. */
const FACTS = {
  addresses: [
    { interface: "eth0", address: "192.0.2.10" },
    { interface: "eth0", address: "2001:db8:a::10" },
  ],
  iptablesVersion: "1.8.9",
  counters: { invalidDropped: false, localhostNodePorts: false },
  tcpBeLiberal: false,
};

/** Beginnings of their names: enough for the Indexed layout, since the program differs in nothing but what it writes. */
const INDEXED = /^(s13|u08)-/;

/** Beginnings of their names: `goldens.test.ts` has them all in both variants, and the program is the same. */
const COMPAT: Readonly<Record<Variant, RegExp>> = { nft: /^(?:c0|[nsux])/, legacy: /^(?:n|s0)/ };

for (const variant of VARIANTS) {
  t.test(`through ${variant}`, { skip: skip || variantSkip(variant) }, async (t) => {
    for (const some of groups()) {
      const names = some.filter((name) => COMPAT[variant].test(name));
      if (names.length > 0) await t.test(names.join(", "), (t) => follow(t, names, { variant, layout: "Compat" }));
    }
  });
  t.test(`through ${variant}, Indexed`, { skip: ipsetSkipReason() || variantSkip(variant) }, async (t) => {
    for (const some of groups()) {
      const names = some.filter((name) => INDEXED.test(name));
      if (names.length > 0) await t.test(names.join(", "), (t) => follow(t, names, { variant, layout: "Indexed" }));
    }
  });
}

interface Rules {
  readonly variant: Variant;
  readonly layout: "Compat" | "Indexed";
}

/** Clusters that one daemon can follow one after the other: it takes configuration, facts and its Node at start. */
function groups(): readonly (readonly string[])[] {
  const found = new Map<string, string[]>();
  for (const name of readdirSync(CLUSTERS).sort()) {
    // The daemon has no other mode yet.
    if (modeOf(join(CLUSTERS, name)) !== "iptables") continue;
    const [node = ""] = textOf(name, "cluster.yaml")
      .split(/^---$/m)
      .filter((text) => /^kind: Node$/m.test(text));
    const zone = /topology\.kubernetes\.io\/zone: .*/.exec(node)?.[0] ?? "";
    const key = JSON.stringify([
      textOf(name, "config.yaml"),
      textOf(name, "node-facts.yaml"),
      node.replace(/^#.*$/gm, ""),
      zone,
    ]);
    found.set(key, [...(found.get(key) ?? []), name]);
  }
  return [...found.values()];
}

async function follow(t: Test, names: readonly string[], { variant, layout }: Rules): Promise<void> {
  const node = await makeNetns("golden");
  t.teardown(() => removeNetns(node));
  const folder = mkdtempSync("/run/fairlead-golden-");
  t.teardown(() => rmSync(folder, { recursive: true }));
  const [first = ""] = names;
  const config = { ...parse(textOf(first, "config.yaml")), hostnameOverride: "worker-a" };
  const iptables = { ...config.iptables, layout, minSyncPeriod: "10ms" };
  // The size of conntrack's table is the machine's alone.
  const conntrack = { ...config.conntrack, maxPerCore: 0 };
  writeFileSync(join(folder, "config"), stringify({ ...config, iptables, conntrack }));
  writeFileSync(
    join(folder, "facts"),
    stringify({ ...FACTS, iptablesVariant: variant, ...parse(textOf(first, "node-facts.yaml")) }),
  );
  const flags = ["--manifests", folder, "--config", join(folder, "config"), "--node-facts", join(folder, "facts")];
  show(folder, first);
  const daemon = new Daemon(["run", ...flags], node, variantEnvironment(variant));
  t.teardown(() => daemon.stop("SIGKILL"));
  const run = commandIn(node, variant);
  for (const name of names) {
    show(folder, name);
    for (const family of FAMILIES) {
      const wanted = golden(name, family, layout);
      t.strictSame(await settled(run, family, wanted), wanted, `${name} ${family}`);
    }
  }
  t.equal(await daemon.stop(), 0);
}

function show(folder: string, name: string): void {
  writeFileSync(join(folder, "next"), textOf(name, "cluster.yaml"));
  renameSync(join(folder, "next"), join(folder, "cluster.yaml"));
}

/** What the kernel holds as soon as it is what is wanted, or at the end of patience. */
async function settled(run: RunCommand, family: Family, wanted: readonly string[]): Promise<readonly string[]> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const held = await savedTables(run, family);
    if (isDeepStrictEqual(held, wanted) || Date.now() > end) return held;
    await setTimeout(50);
  }
}

function golden(name: string, family: Family, layout: Rules["layout"]): readonly string[] {
  const kind = layout === "Compat" ? "iptables" : "indexed";
  const text = textOf(name, `${kind}.${family === "IPv4" ? "v4" : "v6"}.rules`);
  return (
    text
      .split(/^# ip6?tables\n/m)[1]
      ?.trimEnd()
      .split("\n") ?? []
  );
}

function textOf(name: string, file: string): string {
  const path = join(CLUSTERS, name, file);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}
