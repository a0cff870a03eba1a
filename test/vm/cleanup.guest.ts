// Does clean-up take away all that IPVS mode made, and only that, and say before what it would do?
import { execa } from "execa";
import t, { type Test } from "tap";
import { cleanHost } from "../../src/commands/host-cleanup.ts";
import { runCommand } from "../../src/kernel/command.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { FAMILIES } from "../../src/net/family.ts";
import { pass } from "../../src/sync/pass.ts";
import { CollectedOutput } from "../support/collected-output.ts";
import { FIXTURES } from "../support/golden.ts";
import { shownIpvs } from "../support/shown-ipvs.ts";
import { IPVS_BACKEND } from "../support/templates.ts";
import { wantedCluster } from "../support/wanted.ts";

/** Things of others that clean-up must not touch. */
const FOREIGN = [
  "ipset create SOMEBODY hash:ip",
  "iptables -A INPUT -m set --match-set SOMEBODY src -j ACCEPT",
  "ip link add others type dummy",
  "ip addr add 10.60.0.1/32 dev others",
];

/** kube-proxy's clean-up takes these too, and the range that its configuration spares is not known to it. */
const FOREIGN_SERVER = "ipvsadm -A -t 10.50.0.1:80 -s rr";

const NOTHING = "nothing to remove (IPv4 and IPv6 examined)\n";

async function clean(t: Test, dryRun: boolean): Promise<string> {
  const output = new CollectedOutput();
  t.equal(await cleanHost({ dryRun, output }), 0, "nothing failed");
  t.strictSame(output.notes, []);
  return output.text;
}

async function saved(): Promise<string> {
  const { stdout } = await execa("sh", ["-c", "iptables-save; ip6tables-save; ip -br link"]);
  return stdout.replace(/^#.*$/gm, "").replace(/\[\d+:\d+\]/g, "");
}

t.test("all of a populated node, both families", async (t) => {
  const kernel = machine(runCommand);
  for (const command of [...FOREIGN, FOREIGN_SERVER]) await execa("sh", ["-c", command]);
  const cluster = await wantedCluster(`${FIXTURES}/clusters/v35-ipv6-everything`, "v35");
  for (const family of FAMILIES) {
    const { applied } = await pass({ kernel, backend: IPVS_BACKEND, variant: "nft" }, cluster.wanted(family));
    t.strictSame([applied.refused, ...applied.items].filter(Boolean), [], `${family}: it is populated`);
  }
  await execa("sh", ["-c", FOREIGN_SERVER]);
  const before = { ...(await shownIpvs()), saved: await saved() };

  const would = await clean(t, true);
  t.strictSame({ ...(await shownIpvs()), saved: await saved() }, before, "a dry run changes nothing");
  for (const line of [
    "- IPv4 nat :KUBE-LOAD-BALANCER",
    "- IPv6 filter :KUBE-IPVS-FILTER",
    "- virtual server 10.50.0.1:80/TCP",
    "- interface kube-ipvs0",
    "- ipset KUBE-CLUSTER-IP",
    "- ipset KUBE-6-LOAD-BALANCER-SOURCE-CID",
  ]) {
    t.ok(would.includes(`${line}\n`), `it says: ${line}`);
  }

  t.match(await clean(t, false), /^removed \d+ rules in \d+ chains, [^\n]*\n$/);
  const { servers, sets, addresses } = await shownIpvs();
  t.strictSame(servers, []);
  t.match(sets, [/^create SOMEBODY /]);
  t.strictSame(addresses, []);
  t.notMatch(await saved(), /KUBE-|kube-/);
  t.match(await saved(), /-A INPUT -m set --match-set SOMEBODY src -j ACCEPT[\s\S]*^others /m, "others' things stay");

  t.equal(await clean(t, true), NOTHING, "there is nothing more to clean up");
  t.equal(await clean(t, false), NOTHING, "and to do it twice is no harm");
});
