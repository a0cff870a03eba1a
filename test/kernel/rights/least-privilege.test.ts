// Runs the daemon with exactly the rights of scripts/deploy/least-privilege.yaml, and with fewer, on a node where other
// software has rules with set matches.
import "../../support/enter-sandbox.ts";

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { parse } from "yaml";
import { type FollowedNode, makeFollowedNode, manifestOf } from "../../support/followed-node.ts";
import { inNamespace, VARIANTS, type Variant, variantSkip } from "../../support/iptables-variant.ts";
import { configure } from "../../support/netns.ts";
import { built, type Program } from "../../support/program.ts";
import { privilege, skipReason } from "../../support/sandbox.ts";
import { Talker } from "../../support/talker.ts";
import { limitTime } from "../../support/time-limit.ts";

limitTime(400_000);

const YAML = fileURLToPath(new URL("../../../scripts/deploy/least-privilege.yaml", import.meta.url));

const { initContainers, containers } = parse(readFileSync(YAML, "utf8")).spec.template.spec;
const GRANTED: readonly string[] = containers[0].securityContext.capabilities.add;

// A daemon in a user namespace has no rights in the first one, so that nothing could be dropped.
const skip = skipReason() || (privilege().kind !== "root" && "only root can drop capabilities one by one");

/** Bits of capabilities (linux/capability.h). */
const BITS: Readonly<Record<string, bigint>> = { NET_ADMIN: 1n << 12n, NET_RAW: 1n << 13n };

const FOREIGN = `*nat
:CNI-X - [0:0]
-A PREROUTING -m set --match-set foreign dst -j CNI-X
-A POSTROUTING -m set --match-set foreign src -j RETURN
-A CNI-X -m set --match-set foreign src -j RETURN
COMMIT
*filter
-A FORWARD -m set --match-set foreign src -j DROP
COMMIT
`;

const [OLD, NEW] = ["10.244.1.1", "10.244.1.2"];

/** The daemon as the container runtime starts it: capabilities, no_new_privs, and /proc/sys read-only. */
function withRights(capabilities: readonly string[]): Program {
  const script = 'mount --bind /proc/sys /proc/sys && mount -o remount,bind,ro /proc/sys && exec "$@"';
  const bounding = ["-all", ...capabilities.map((name) => `+${name.toLowerCase()}`)].join(",");
  const drop = ["setpriv", `--bounding-set=${bounding}`, "--inh-caps=-all", "--no-new-privs"];
  return ["unshare", "-m", "sh", "-c", script, "sh", ...drop, ...built()];
}

/** A node with the foreign rules, after the init container, and a client and servers on it. */
async function setUp(t: Test, variant: Variant, layout: "Compat" | "Indexed") {
  const followed = await makeFollowedNode(t, variant, (config) =>
    config
      .replace("localhostNodePorts: false", `localhostNodePorts: true, layout: ${layout}`)
      .replace(", tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s", ", tcpEstablishedTimeout: 23h"),
  );
  const { node, env } = followed;
  const say = (command: readonly string[], input = "") => inNamespace(node, command, { env, input });
  await configure(node.name, [
    ...["192.0.2.10/24", `${OLD}/32`, `${NEW}/32`].map((address) => `addr add ${address} dev lo`),
    // Without rules a connection is refused at once.
    "route add local 10.96.0.0/16 dev lo src 192.0.2.10",
  ]);
  await say(["ipset", "create", "foreign", "hash:ip"]);
  await say(["iptables-restore", "--noflush"], FOREIGN);
  followed.show(manifestOf(1, OLD));
  t.ok(initContainers[0].command.includes("--init-only"));
  t.equal((await followed.start(env, built(), ["--init-only"]).finish()).code, 0, "the init container is done");
  const talker = new Talker(node.path);
  t.teardown(() => talker.stop());
  for (const address of [OLD, NEW]) await talker.serve({ address, port: 8080 });
  return { followed, say, talker, sets: async () => (await say(["ipset", "list", "-n"])).split("\n").sort() };
}

/** Waits until the endpoint answers at the cluster IP of the Service. */
async function reaches(t: Test, talker: Talker, service: number, endpoint: string): Promise<void> {
  const answer = await talker.reach({ address: `10.96.100.${service}`, port: 80 }, endpoint);
  t.match(answer, endpoint, `Service ${service} is served by ${endpoint}`);
}

function rightsOf({ pid }: { readonly pid: number }) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, "m").exec(status)?.[1] ?? "";
  return { effective: BigInt(`0x${field("CapEff")}`), noNewPrivileges: field("NoNewPrivs") };
}

const complaints = (lines: readonly string[]) =>
  lines.filter((line) => /^[EW]/.test(line) && !/configuration may be incomplete/.test(line));

const startDaemon = (followed: FollowedNode, capabilities: readonly string[]) =>
  followed.start(followed.env, withRights(capabilities));

for (const variant of VARIANTS) {
  for (const layout of ["Compat", "Indexed"] as const) {
    t.test(
      `${variant}, ${layout}: the rights of the DaemonSet suffice`,
      { skip: skip || variantSkip(variant) },
      async (t) => {
        const { followed, talker, sets } = await setUp(t, variant, layout);
        const daemon = startDaemon(followed, GRANTED);
        await reaches(t, talker, 1, OLD);
        const wanted = GRANTED.reduce((all, name) => all | (BITS[name] ?? 0n), 0n);
        t.strictSame(rightsOf(daemon), { effective: wanted, noNewPrivileges: "1" });
        followed.show(manifestOf(1, NEW) + manifestOf(2, OLD));
        await reaches(t, talker, 2, OLD);
        await reaches(t, talker, 1, NEW);
        await followed.settled(t, "after a change");
        const own = ["KUBE-6-IX-CLUSTER-IP", "KUBE-6-IX-LOOP-BACK", "KUBE-IX-CLUSTER-IP", "KUBE-IX-LOOP-BACK"];
        t.strictSame(await sets(), [...(layout === "Indexed" ? own : []), "foreign"]);
        t.strictSame(complaints(daemon.lines), []);
        t.equal(await daemon.stop(), 0);
      },
    );
  }
}

t.test(
  "nft: without NET_RAW, over Indexed rules, Compat serves all Services; with it, Indexed is back",
  { skip: skip || variantSkip("nft") },
  async (t) => {
    const { followed, say, talker, sets } = await setUp(t, "nft", "Indexed");
    const first = startDaemon(followed, GRANTED);
    await reaches(t, talker, 1, OLD);
    await followed.settled(t, "Indexed");
    t.equal(await first.stop(), 0);

    await talker.begin("all the time", { address: "10.96.100.1", port: 80 });
    const second = startDaemon(
      followed,
      GRANTED.filter((name) => name !== "NET_RAW"),
    );
    await second.said(/"SyncProxyRules complete" ipFamily="IPv4"/);
    followed.show(manifestOf(1, NEW) + manifestOf(2, OLD));
    await reaches(t, talker, 2, OLD);
    await reaches(t, talker, 1, NEW);
    t.match(await second.said(/^W.*Indexed layout is not possible/), [
      /falling back to Compat" ipFamily="IPv4" err="iptables cannot match an ipset: .*Can't open socket to ipset.; iptables needs the capability NET_RAW/,
    ]);
    t.match(await second.said(/"Cannot read tables; .* ipFamily="IPv4"/), [/tables="filter, nat" .*Can't open socket/]);
    const nat = await say(["iptables-save", "-t", "nat"]);
    t.match(nat, /-A KUBE-SERVICES .*-j KUBE-SVC-/, "rules are of the Compat layout");
    t.match(nat, /:KUBE-IX-/, "nothing is deleted that may be stale");
    for (const chain of ["PREROUTING", "OUTPUT"])
      t.equal(nat.match(new RegExp(`^-A ${chain} .*-j KUBE-SERVICES$`, "gm"))?.length, 1, `one jump in ${chain}`);
    t.notOk((await sets()).some((name) => name.includes("TRIAL")));
    t.equal(await second.stop(), 0);

    const third = startDaemon(followed, GRANTED);
    await followed.settled(t, "Indexed again");
    await reaches(t, talker, 1, NEW);
    t.strictSame((await talker.end("all the time")).failures, [], "no connection failed all the while");
    t.notMatch(await say(["iptables-save"]), /KUBE-SVC-/);
    t.equal(await third.stop(), 0);
  },
);
