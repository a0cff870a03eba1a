// Are tables of nf_tables found and taken away, and only those? In a kernel of its own.
import "../support/enter-sandbox.ts";

import { fileURLToPath } from "node:url";
import { execa } from "execa";
import t from "tap";
import { deleteTable, familiesOfTable } from "../../src/kernel/nft-tables.ts";
import { skipReason } from "../support/sandbox.ts";

const skip = skipReason();
const OTHERS = ["ip other", "inet kube-proxy", "ip6 kube-proxy-2"];

t.test("those of the name go with all that is in them, others stay", { skip }, async (t) => {
  for (const table of [...OTHERS, "ip kube-proxy", "ip6 kube-proxy"])
    await execa("nft", `add table ${table}`.split(" "));
  await execa("nft", ["add", "chain", "ip", "kube-proxy", "services"]);
  await execa("nft", ["add", "rule", "ip", "kube-proxy", "services", "accept"]);
  t.strictSame(await familiesOfTable("kube-proxy"), ["IPv4", "IPv6"]);
  await deleteTable("IPv4", "kube-proxy");
  t.strictSame(await familiesOfTable("kube-proxy"), ["IPv6"]);
  await deleteTable("IPv6", "kube-proxy");
  await deleteTable("IPv6", "kube-proxy");
  t.strictSame(await familiesOfTable("kube-proxy"), []);
  const { stdout } = await execa("nft", ["list", "tables"]);
  t.strictSame(stdout.split("\n").sort(), OTHERS.map((table) => `table ${table}`).sort());
});

t.test("without the right to administer networks nothing is found, and deleting is refused", { skip }, async (t) => {
  const program = fileURLToPath(new URL("../support/nft-without-rights.ts", import.meta.url));
  const bare = ["--bounding-set", "-net_admin", "--inh-caps", "-net_admin"];
  const { stdout } = await execa("setpriv", [...bare, process.execPath, "--import=tsx", program]);
  t.match(JSON.parse(stdout), { find: /EPERM|1/, remove: /IPv4 kube-proxy: the table cannot be deleted \(EPERM\)/ });
});
