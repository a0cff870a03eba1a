// Do the operator's own tools take what `render` prints of IPVS mode on a kernel that has it, and show the same again?
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import t from "tap";
import { iptablesOf } from "../../src/kernel/iptables.ts";
import { FAMILIES } from "../../src/net/family.ts";
import { savedTables } from "../support/saved-tables.ts";
import { goldenIpvs, goldenSection, goldenTables, readShown, SHOW_ALL } from "../support/shown-ipvs.ts";
import { wantedClusters } from "../support/wanted.ts";

t.setTimeout(300_000);

/** Between them these have every set, rule and kind of server; of all others the servers alone are tried. */
const WHOLE = /^v(07-nodeport-sctp-local|11-source-ranges-without|35)/;

const MARK = "== next ==\n";

const clusters = await wantedClusters("ipvs");
const work = mkdtempSync(join(tmpdir(), "fairlead-render-"));

t.test("virtual servers, by ipvsadm -R", async (t) => {
  for (const { name, folder } of clusters) {
    const lines = FAMILIES.map((family) => goldenSection(folder, family, "ipvs"));
    writeFileSync(join(work, name), lines.join("\n"));
  }
  const names = clusters.map(({ name }) => join(work, name));
  // Without a table of local addresses IPVS takes no IPv4 address for that of a host.
  const script = `ip link set lo up; for file; do ipvsadm -C && ipvsadm -R <"$file" && ipvsadm -Sn; echo "${MARK.trim()}"; done`;
  const { stdout } = await execa("unshare", ["-n", "sh", "-c", script, "sh", ...names]);
  const shown = `${stdout}\n`.split(MARK).map((text) => readShown(text).servers);
  for (const [index, { name, folder }] of clusters.entries()) {
    t.strictSame(shown[index], goldenIpvs(folder).servers, name);
  }
});

for (const { name, folder } of clusters.filter(({ name }) => WHOLE.test(name))) {
  t.test(`all of ${name}, in an empty namespace`, async (t) => {
    const section = (file: string, of: string) => {
      const texts = FAMILIES.map((family) => goldenSection(folder, family, of));
      // The families share the interface, which is made but once.
      const lines = [...new Set(texts.filter((text) => text !== "").flatMap((text) => text.split("\n")))];
      writeFileSync(join(work, file), `${lines.join("\n")}\n`);
    };
    section("sysctl", "sysctl");
    section("sets", "ipset");
    section("servers", "ipvs");
    section("addresses", "addresses");
    for (const family of FAMILIES) {
      writeFileSync(join(work, iptablesOf(family)), `${goldenTables(folder, family).join("\n")}\n`);
    }
    const script = `cd "$1" && ip link set lo up && sysctl -q -p sysctl && ipset restore <sets && iptables-restore --noflush <iptables &&
      ip6tables-restore --noflush <ip6tables && ipvsadm -R <servers && ip -batch - <addresses &&
      { ${SHOW_ALL}; } && echo "${MARK.trim()}" && iptables-save && echo "${MARK.trim()}" && ip6tables-save`;
    const { stdout } = await execa("unshare", ["-n", "sh", "-c", script, "sh", work]);
    const [state = "", ...tables] = stdout.split(MARK);
    t.strictSame(readShown(state), goldenIpvs(folder));
    for (const [index, family] of FAMILIES.entries()) {
      const saved = await savedTables(async () => `${tables[index]}\n`, family);
      t.strictSame(saved, goldenTables(folder, family), `${family}: tables`);
    }
  });
}
