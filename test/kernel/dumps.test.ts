// Do the tools at hand print the dumps of fixtures/dumps as they stand there?
import "../support/enter-sandbox.ts";

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { type RunCommand, runCommand } from "../../src/kernel/command.ts";
import { iptablesOf } from "../../src/kernel/iptables.ts";
import { parseTables } from "../../src/state/iptables-parse.ts";
import { FIXTURES } from "../support/golden.ts";
import { VARIANTS, variantSkip } from "../support/iptables-variant.ts";
import { commandIn } from "../support/namespace-command.ts";
import { makeNetns, removeNetns } from "../support/netns.ts";
import { privilege, skipReason } from "../support/sandbox.ts";

const skip = skipReason();

const FOLDER = join(FIXTURES, "dumps");
const MAKE_COUNTERS = fileURLToPath(new URL("../support/make-counters.ts", import.meta.url));

for (const variant of VARIANTS) {
  t.test(`through ${variant}`, { skip: skip || variantSkip(variant) }, async (t) => {
    for (const name of readdirSync(FOLDER).filter((each) => each.endsWith(".save"))) {
      const text = readFileSync(join(FOLDER, name), "utf8");
      await t.test(name, { skip: ownerSkip(text) }, async (t) => {
        const node = await makeNetns("dump");
        t.teardown(() => removeNetns(node));
        const run = commandIn(node, variant);
        const iptables = iptablesOf(name.endsWith(".v6.save") ? "IPv6" : "IPv4");
        await makeSets(run, join(FOLDER, name.replace(/\.v[46]\.save$/, ".ipset")));
        await makeCounters(node.path, text);
        await run({ program: `${iptables}-restore`, args: [], input: [text] });
        const saved = rulesOf(await run({ program: `${iptables}-save`, args: [] }));
        const lines = rulesOf(text);
        t.strictSame(saved, lines);
        t.ok(lines.length > 5);
      });
    }
  });
}

/** A kernel refuses to match users and groups that the network's user namespace does not know. */
function ownerSkip(text: string): string | false {
  const named = /--[ug]id-owner \S+/.exec(text);
  return named !== null && privilege().kind !== "root" && `an ordinary user's sandbox has one user: no ${named[0]}`;
}

async function makeSets(run: RunCommand, path: string): Promise<void> {
  if (existsSync(path)) await run({ program: "ipset", args: ["restore"], input: [readFileSync(path, "utf8")] });
}

async function makeCounters(path: string, text: string): Promise<void> {
  const names = [...text.matchAll(/--nfacct-name {1,2}(\S+)/g)].map(([, name = ""]) => name);
  if (names.length === 0) return;
  const args = [`--net=${path}`, process.execPath, "--import=tsx", MAKE_COUNTERS, ...new Set(names)];
  await runCommand({ program: "nsenter", args });
}

/** Every chain that somebody made and every rule, by table and chain; in a chain as they stand. */
function rulesOf(text: string): readonly string[] {
  const chains = [...parseTables(text)].flatMap(([table, found]) =>
    [...found.values()].map((chain) => ({ place: `${table} ${chain.name}`, chain })),
  );
  return chains
    .sort((one, other) => (one.place < other.place ? -1 : 1))
    .flatMap(({ place, chain }) => [
      ...(chain.hold === "ours" ? [place] : []),
      ...chain.rules.map(({ line }) => `${place} ${line}`),
    ]);
}
