// Tests on a real kernel that tables of nf_tables are found and deleted, and changes of our chains noticed.
import "../support/enter-sandbox.ts";

import { fileURLToPath } from "node:url";
import { execa } from "execa";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { attribute } from "../../src/kernel/attributes.ts";
import { type Kernel, machine } from "../../src/kernel/kernel.ts";
import { deleteTable, digestOfChains, familiesOfTable } from "../../src/kernel/nft-tables.ts";
import { variantSkip } from "../support/iptables-variant.ts";
import { commandHere } from "../support/namespace-command.ts";
import { type Answer, errnoPayload, netlinkFunction } from "../support/netlink-function.ts";
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

const TABLE = attribute(1, Buffer.from("nat\0"));
const chain = (name: string): Answer => {
  const payload = Buffer.concat([Buffer.of(2, 0, 0, 0), TABLE, attribute(3, Buffer.from(`${name}\0`))]);
  return { type: 0x0a03, flags: 2, sequence: 1, payload };
};
const OURS = chain("KUBE-A");
const NAMELESS: Answer = { ...OURS, payload: Buffer.concat([Buffer.of(2, 0, 0, 0), TABLE]) };
const DONE: Answer = { type: 3, flags: 2, sequence: 1, payload: errnoPayload(0) };
const EINTR = 4;

/** The digest by a kernel whose attempts to dump go as given; the last one is repeated. */
async function digestFrom(...attempts: readonly (readonly Answer[])[]) {
  let begun = 0;
  const kernel = netlinkFunction({
    answers: () => {
      begun++;
      return (attempts[begun - 1] ?? attempts.at(-1) ?? []).map((answer) => [answer]);
    },
  });
  return { digest: await digestOfChains("IPv4", kernel), begun };
}

t.test("a dump that is interrupted is repeated, at most five times", async (t) => {
  const { digest } = await digestFrom([OURS, DONE]);
  t.type(digest, "string");
  t.not((await digestFrom([chain("KUBE-B"), DONE])).digest, digest);
  t.equal((await digestFrom([chain("CNI"), NAMELESS, OURS, DONE])).digest, digest);
  for (const interrupted of [
    [{ ...OURS, flags: 0x12 }, DONE],
    [OURS, { ...DONE, flags: 0x12 }],
    [OURS, { ...DONE, payload: errnoPayload(EINTR) }],
    [{ ...DONE, type: 2, payload: errnoPayload(EINTR) }],
  ]) {
    t.strictSame(await digestFrom(interrupted, [OURS, DONE]), { digest, begun: 2 });
    t.strictSame(await digestFrom(interrupted), { digest: undefined, begun: 5 });
  }
});

t.test("without an answer there is no digest", async (t) => {
  const refused = new KernelError({
    step: "netfilter netlink",
    target: "socket",
    code: "EPERM",
    words: "not permitted",
  });
  t.equal(await digestOfChains("IPv4", () => Promise.reject(refused)), undefined);
});

const LOADED = "*nat\n:KUBE-A - [0:0]\n:KUBE-B - [0:0]\n-A KUBE-A -j KUBE-B\n-A KUBE-B -j RETURN\nCOMMIT\n";

for (const { name, command, isNoticed } of [
  { name: "a rule added to one of our chains", command: "iptables -t nat -A KUBE-B -j ACCEPT", isNoticed: true },
  { name: "a rule deleted from one of our chains", command: "iptables -t nat -F KUBE-B", isNoticed: true },
  { name: "a jump to one of our chains", command: "iptables -t nat -A PREROUTING -j KUBE-A", isNoticed: true },
  { name: "a new chain of ours", command: "iptables -t nat -N KUBE-C", isNoticed: true },
  { name: "a chain and a rule of other software in our table", command: "iptables -t nat -N CNI", isNoticed: false },
  { name: "a rule in a base chain", command: "iptables -t nat -A PREROUTING -p udp -j RETURN", isNoticed: false },
  { name: "another table", command: "nft add table ip theirs", isNoticed: false },
  { name: "the other family", command: "ip6tables -t nat -N KUBE-A", isNoticed: false },
]) {
  t.test(`${name}: ${isNoticed ? "another" : "the same"} digest`, { skip: skip || variantSkip("nft") }, async (t) => {
    const run = commandHere("nft");
    await run({ program: "nft", args: ["flush", "ruleset"] });
    await run({ program: "iptables-restore", args: ["--noflush"], input: [LOADED] });
    const before = await digestOfChains("IPv4");
    t.equal(await digestOfChains("IPv4"), before);
    const [program = "", ...args] = command.split(" ");
    await run({ program, args });
    t.equal((await digestOfChains("IPv4")) !== before, isNoticed);
  });
}

t.test(
  "the kernel client knows of no change of our chains only until we change or observe them",
  {
    skip: skip || variantSkip("nft"),
  },
  async (t) => {
    const run = commandHere("nft");
    const kernel = machine(run);
    const LOOK = { sysctls: [], counters: [] };
    t.equal(await kernel.chainsMoved("IPv4"), true, "before the first observation");
    await kernel.observeInBackground("IPv4", LOOK);
    await run({ program: "nft", args: ["add", "table", "ip", "more"] });
    t.equal(await kernel.chainsMoved("IPv4"), false);
    const changes = [{ table: "nat", clear: ["KUBE-SERVICES"], rules: [], remove: [] }] as const;
    await kernel.apply({ steps: [{ kind: "iptables", family: "IPv4", changes }], kept: [] });
    t.equal(await kernel.chainsMoved("IPv4"), true);
  },
);

t.test(
  "rules that we change while they are read in the background are read again",
  { skip: skip || variantSkip("nft") },
  async (t) => {
    const run = commandHere("nft");
    let isFirst = true;
    const kernel: Kernel = machine(async (command) => {
      const text = await run(command);
      if (isFirst && command.program.endsWith("-save")) {
        isFirst = false;
        const changes = [{ table: "nat", clear: ["KUBE-LATE"], rules: [], remove: [] }] as const;
        await kernel.apply({ steps: [{ kind: "iptables", family: "IPv4", changes }], kept: [] });
      }
      return text;
    });
    const LOOK = { sysctls: [], counters: [] };
    const chains = async () => (await kernel.observeInBackground("IPv4", LOOK))?.tables.get("nat")?.has("KUBE-LATE");
    t.equal(await chains(), false, "the first text was read before the change");
    t.equal(await kernel.chainsMoved("IPv4"), true, "so what it says of chains does not count");
    t.equal(await chains(), true, "nor is the same text expected");
    t.equal(await kernel.chainsMoved("IPv4"), false);
    t.equal(await kernel.observeInBackground("IPv4", LOOK), undefined, "unchanged from then on");
  },
);
