// Do all versions of iptables, nft and legacy, say of the same rules what 1.8.9 says?
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { parseTables } from "../../src/state/iptables-parse.ts";
import { FIXTURES } from "../support/golden.ts";

const RECORDED = join(FIXTURES, "kernel");

/** A match that 1.8.7 (nft) does not show when a newer version wrote it. */
const UNSEEN = / -m (?:(?:tcp|udp) --dport \d+|mark (?:! )?--mark \S+)/;

const recordings = readdirSync(RECORDED, { recursive: true, encoding: "utf8" })
  .filter((path) => /-(?:nft|legacy)\/[^/]+\.v[46]$/.test(path))
  .sort();
const blind = (path: string) => /^1\.8\.7-nft\/restored-by-/.test(path);

for (const family of ["v4", "v6"]) {
  const restored = readFileSync(join(RECORDED, `restored.${family}`), "utf8");
  const wanted = rulesOf(
    restored.replace(
      /^\*.*/gm,
      "$&\n:PREROUTING ACCEPT\n:INPUT ACCEPT\n:FORWARD ACCEPT\n:OUTPUT ACCEPT\n:POSTROUTING ACCEPT",
    ),
  );

  t.test(`${family}: what was restored is in canonical form`, async (t) => {
    const lines = restored.split("\n").filter((line) => line.startsWith("-A "));
    t.strictSame(
      wanted
        .filter((rule) => rule.includes(" -A "))
        .map((rule) => rule.replace(/^\S+ /, ""))
        .sort(),
      lines.sort(),
    );
  });

  for (const path of recordings.filter((path) => path.endsWith(family) && !blind(path))) {
    t.test(path, async (t) => {
      t.strictSame(rulesOf(readFileSync(join(RECORDED, path), "utf8")), wanted);
    });
  }

  // Nothing can bring back what is not there, so such rules count as different and are written anew.
  for (const path of recordings.filter((path) => path.endsWith(family) && blind(path))) {
    t.test(`${path}: ports and marks are not shown, all else is`, async (t) => {
      t.strictSame(
        rulesOf(readFileSync(join(RECORDED, path), "utf8")),
        wanted.map((rule) => rule.replace(UNSEEN, "")),
      );
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
