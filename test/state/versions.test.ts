// Do all versions of iptables, nft and legacy, say of the same rules what 1.8.9 says?
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { parseTables } from "../../src/state/iptables-parse.ts";
import { FIXTURES } from "../support/golden.ts";

const RECORDED = join(FIXTURES, "kernel");

/** A match that 1.8.7 (nft) does not show when a newer version wrote it. */
const UNSEEN = / -m (?:(?:tcp|udp) --dport \d+|mark (?:! )?--mark \S+)/;

const BUILT_IN = ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"];

const recordings = readdirSync(RECORDED, { recursive: true, encoding: "utf8" })
  .filter((path) => /-(?:nft|legacy)\/[^/]+\.v[46]$/.test(path))
  .sort();

for (const family of ["v4", "v6"]) {
  const restored = textOf(`restored.${family}`);
  const wanted = rulesOf(restored.replace(/^\*.*/gm, ["$&", ...BUILT_IN.map((name) => `:${name} ACCEPT`)].join("\n")));

  t.test(`${family}: what was restored is in canonical form`, async (t) => {
    const rules = wanted.filter((rule) => / -A /.test(rule)).map((rule) => rule.replace(/^\S+ /, ""));
    const lines = restored.split("\n").filter((line) => line.startsWith("-A "));
    t.strictSame(rules.sort(), lines.sort());
  });

  for (const path of recordings.filter((path) => path.endsWith(family))) {
    // Nothing can bring back what is not shown, so such rules count as different and are written anew.
    const blind = path.startsWith("1.8.7-nft/restored-by-");
    t.test(blind ? `${path}: ports and marks are missing, nothing else` : path, async (t) => {
      t.strictSame(rulesOf(textOf(path)), blind ? wanted.map((rule) => rule.replace(UNSEEN, "")) : wanted);
    });
  }
}

t.test("every recorded version has both variants and both families", async (t) => {
  const saves = recordings.filter((path) => path.includes("/save."));
  const versions = new Set(recordings.map((path) => path.split("-")[0]));
  const each = ["legacy/save.v4", "legacy/save.v6", "nft/save.v4", "nft/save.v6"];
  t.strictSame(saves, [...versions].flatMap((version) => each.map((file) => `${version}-${file}`)).sort());
  t.ok(versions.has("1.8.9"), "and one of them sets the form");
});

function textOf(path: string): string {
  return readFileSync(join(RECORDED, path), "utf8");
}

/** Our chains and all rules, each behind its table, by table and chain; in a chain as they stand. */
function rulesOf(text: string): readonly string[] {
  const rules: string[] = [];
  for (const [table, chains] of [...parseTables(text)].sort(byName)) {
    for (const [name, chain] of [...chains].sort(byName)) {
      if (chain.hold === "ours") rules.push(`${table} :${name}`);
      for (const { line } of chain.rules) rules.push(`${table} ${line}`);
    }
  }
  return rules;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
