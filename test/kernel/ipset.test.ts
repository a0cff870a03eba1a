// Sets made, filled, listed and destroyed over netlink, compared with what the `ipset` command shows.
import "../support/enter-sandbox.ts";

import t from "tap";
import { attribute } from "../../src/kernel/attributes.ts";
import { changeSets, findClashes, findKnownSets, findSets, readSetSupport, readSets } from "../../src/kernel/ipset.ts";
import { readSetPart } from "../../src/kernel/ipset-answer.ts";
import { listPayload } from "../../src/kernel/ipset-codec.ts";
import { dump } from "../../src/kernel/netlink-dump.ts";
import { type IpSet, SET_TYPES, type SetHeader } from "../../src/state/ip-set.ts";
import { printSets } from "../../src/state/ipset-text.ts";
import type { SetChange } from "../../src/state/set-change.ts";
import { ipset, ipsetFixture, ipsetSkipReason, savedSets } from "../support/ipset-tool.ts";
import { IpvsMemory } from "../support/ipvs-memory.ts";
import { errnoPayload, netlinkFunction } from "../support/netlink-function.ts";
import { refusalOf } from "../support/refusal.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(120_000);

const skip = ipsetSkipReason();

t.beforeEach(() => {
  if (!skip) ipset(["destroy"]);
});

const CLUSTER_IP: SetHeader = { name: "KUBE-CLUSTER-IP", type: "hash:ip,port", family: "inet" };
const NETS: SetHeader = { name: "KUBE-LOAD-BALANCER-SOURCE-CIDR", type: "hash:ip,port,net", family: "inet" };

const SETS: readonly IpSet[] = [
  { ...CLUSTER_IP, entries: new Set(["10.96.0.10,udp:53", "10.96.1.1,tcp:80", "10.96.1.4,sctp:36412"]) },
  { name: "KUBE-IPVS-IPS", type: "hash:ip", family: "inet", entries: new Set(["10.96.1.1"]) },
  { name: "KUBE-6-IPVS-IPS", type: "hash:ip", family: "inet6", entries: new Set(["::1.2.3.4", "fd00:96::7"]) },
  {
    name: "KUBE-LOOP-BACK",
    type: "hash:ip,port,ip",
    family: "inet",
    entries: new Set(["10.71.1.5,tcp:8080,10.71.1.5"]),
  },
  {
    ...NETS,
    entries: new Set(["203.0.113.5,tcp:443,192.0.2.0/24", "203.0.113.5,tcp:443,198.51.100.77"]),
  },
  {
    name: "KUBE-6-LOAD-BALANCER-SOURCE-CID",
    type: "hash:ip,port,net",
    family: "inet6",
    entries: new Set(["2001:db8::5,tcp:443,2001:db8:1::/48", "2001:db8::5,tcp:443,2001:db8:2::7"]),
  },
  { name: "KUBE-NODE-PORT-TCP", type: "bitmap:port", family: "none", entries: new Set(["0", "31080", "65535"]) },
  { name: "KUBE-6-NODE-PORT-TCP", type: "bitmap:port", family: "none", entries: new Set() },
];

function creation(sets: readonly IpSet[]): readonly SetChange[] {
  return sets.flatMap((set) => [
    { kind: "create", set },
    { kind: "add", set, entries: set.entries },
  ]);
}

/** The words of each refusal, by change. */
async function refusals(changes: Iterable<SetChange>): Promise<readonly (readonly string[])[]> {
  return (await changeSets(changes)).map((all) => all.map(({ message }) => message));
}

const NONE: readonly string[] = [];

t.test("all types are there", { skip }, async (t) => {
  t.strictSame(await readSetSupport(), { protocol: 7, missing: [] });
});

t.test("the command sees what was made, and we see the same", { skip }, async (t) => {
  t.strictSame(
    await refusals(creation(SETS)),
    SETS.flatMap(() => [NONE, NONE]),
  );
  t.strictSame(savedSets().toSorted(), printSets(SETS).toSorted());
  const found = await readSets(SETS.map(({ name }) => name));
  t.strictSame(printSets(found.sets), printSets(SETS));
  t.strictSame(found.otherSets, []);
});

t.test("sets are made of the revisions that the command makes them of", { skip }, async (t) => {
  await changeSets(SETS.map((set) => ({ kind: "create", set })));
  const revisionOf = (name: string) => /^Revision: (\d+)$/m.exec(ipset(["list", "-t", name]))?.[1];
  for (const { name, type, family } of SETS) {
    const options = type === "bitmap:port" ? ["range", "0-65535"] : ["family", family];
    ipset(["create", "BY-COMMAND", type, ...options]);
    t.equal(revisionOf(name), revisionOf("BY-COMMAND"), type);
    // With one more option than the same set, the command would refuse.
    ipset(["-exist", "create", name, type, ...options]);
    ipset(["destroy", "BY-COMMAND"]);
  }
});

t.test("what is done already is as good as done", { skip }, async (t) => {
  await changeSets(creation(SETS));
  const again = [
    ...creation(SETS),
    { kind: "remove", set: CLUSTER_IP, entries: ["10.96.9.9,tcp:1", "10.96.1.1,tcp:80"] },
    { kind: "remove", set: CLUSTER_IP, entries: ["10.96.1.1,tcp:80"] },
    { kind: "add", set: CLUSTER_IP, entries: [] },
    { kind: "destroy", name: "KUBE-NOBODY" },
  ] as const;
  t.strictSame(
    await refusals(again),
    again.map(() => NONE),
  );
  t.strictSame(savedSets("KUBE-CLUSTER-IP").slice(1).toSorted(), [
    "add KUBE-CLUSTER-IP 10.96.0.10,udp:53",
    "add KUBE-CLUSTER-IP 10.96.1.4,sctp:36412",
  ]);
});

t.test("only what is asked for is read, and what is missing is left out", { skip }, async (t) => {
  await changeSets(creation(SETS));
  const found = await readSets(["KUBE-IPVS-IPS", "KUBE-NOBODY"]);
  t.strictSame(found, { sets: [SETS[1]], otherSets: [] });
});

t.test("sets are swapped, and destroyed by name", { skip }, async (t) => {
  const scratch = { ...CLUSTER_IP, name: "SCRATCH" };
  await changeSets(creation(SETS));
  const changes = [
    { kind: "create", set: scratch },
    { kind: "add", set: scratch, entries: ["10.96.5.5,tcp:5"] },
    { kind: "swap", name: "SCRATCH", other: "KUBE-CLUSTER-IP" },
    { kind: "destroy", name: "SCRATCH" },
  ] as const;
  t.strictSame(
    await refusals(changes),
    changes.map(() => NONE),
  );
  t.strictSame(savedSets("KUBE-CLUSTER-IP").slice(1), ["add KUBE-CLUSTER-IP 10.96.5.5,tcp:5"]);
  t.equal(savedSets().filter((line) => line.startsWith("create ")).length, SETS.length);
});

t.test("a set of another size is told with it, and cannot be made", { skip }, async (t) => {
  ipset(["create", "KUBE-CLUSTER-IP", "hash:ip,port", "maxelem", "100"]);
  const { sets } = await readSets(["KUBE-CLUSTER-IP"]);
  t.strictSame(sets, [{ ...CLUSTER_IP, maxEntries: 100, entries: new Set() }]);
  const words = "a set of this name exists with another type, size or options";
  t.strictSame(await refusals([{ kind: "create", set: CLUSTER_IP }]), [
    [`ipset create KUBE-CLUSTER-IP: ${words} (EEXIST)`],
  ]);
});

t.test("other refusals", { skip }, async (t) => {
  await changeSets(creation(SETS));
  ipset(["create", "HOLDER", "list:set"]);
  ipset(["add", "HOLDER", "KUBE-CLUSTER-IP"]);
  t.teardown(() => ipset(["flush"]));
  const nobody = { ...CLUSTER_IP, name: "KUBE-NOBODY" };
  t.strictSame(
    await refusals([
      { kind: "destroy", name: "KUBE-CLUSTER-IP" },
      { kind: "swap", name: "KUBE-CLUSTER-IP", other: "KUBE-IPVS-IPS" },
      { kind: "add", set: nobody, entries: ["10.0.0.1,tcp:1"] },
      { kind: "create", set: { ...CLUSTER_IP, name: "A-NAME-OF-THIRTY-TWO-CHARACTERS-" } },
    ]),
    [
      ["ipset destroy KUBE-CLUSTER-IP: a rule or another set uses it (IPSET_ERR_BUSY)"],
      ["ipset swap KUBE-CLUSTER-IP with KUBE-IPVS-IPS: the sets are of different types (IPSET_ERR_TYPE_MISMATCH)"],
      ["ipset add KUBE-NOBODY 10.0.0.1,tcp:1: there is no such set (ENOENT)"],
      ["ipset create A-NAME-OF-THIRTY-TWO-CHARACTERS-: the kernel refuses (EINVAL)"],
    ],
  );
});

t.test("entries that are refused stop none of the others", { skip }, async (t) => {
  const good = Array.from({ length: 2500 }, (_, index) => `203.0.113.5,tcp:443,10.${index >> 8}.${index & 255}.0/24`);
  const bad = "203.0.113.5,tcp:443,0.0.0.0/0";
  const entries = [...good.slice(0, 1500), bad, "nonsense", ...good.slice(1500)];
  await changeSets([{ kind: "create", set: NETS }]);
  const [refused = []] = await changeSets([{ kind: "add", set: NETS, entries }]);
  t.match(
    refused.map(({ refusal }) => refusal),
    [
      { target: `${NETS.name} nonsense`, code: "EINVAL", rejectedLines: [`add ${NETS.name} nonsense`] },
      { target: `${NETS.name} ${bad}`, code: "IPSET_ERR_INVALID_CIDR", rejectedLines: [`add ${NETS.name} ${bad}`] },
    ],
  );
  t.equal(savedSets(NETS.name).length, 1 + good.length);
  const [left = []] = await changeSets([{ kind: "remove", set: NETS, entries }]);
  t.strictSame(
    left.flatMap(({ refusal }) => refusal.rejectedLines),
    [`del ${NETS.name} nonsense`, `del ${NETS.name} ${bad}`],
  );
  t.equal(savedSets(NETS.name).length, 1);
});

t.test("a set that is full says so for each entry it does not take", { skip }, async (t) => {
  const entries = Array.from(
    { length: 66_000 },
    (_, index) => `10.96.${(index >> 8) & 255}.${index & 255},tcp:${1 + (index >> 16)}`,
  );
  await changeSets([{ kind: "create", set: CLUSTER_IP }]);
  const [refused = []] = await changeSets([{ kind: "add", set: CLUSTER_IP, entries }]);
  t.ok(refused.length > 0);
  t.match(refused[0]?.refusal, { code: "IPSET_ERR_HASH_FULL", words: "the set is full" });
  const [set] = (await readSets(["KUBE-CLUSTER-IP"])).sets;
  t.equal((set?.entries.size ?? 0) + refused.length, entries.length);
  t.ok(refused.every(({ refusal }) => !set?.entries.has(refusal.target.split(" ")[1] ?? "")));
});

t.test("thousands of entries, of the longest kind too, in a handful of messages", { skip }, async (t) => {
  const long: SetHeader = { ...NETS, family: "inet6" };
  const counts: number[] = [];
  for (const [set, entry] of [
    [CLUSTER_IP, (index: number) => `10.${index >> 8}.${index & 255}.1,tcp:443`],
    [
      long,
      (index: number) => `2001:db8::${(index + 1).toString(16)},tcp:443,2001:db8:${(index + 1).toString(16)}::/48`,
    ],
  ] as const) {
    const entries = Array.from({ length: 5000 }, (_, index) => entry(index));
    await changeSets([{ kind: "create", set }]);
    t.strictSame(await refusals([{ kind: "add", set, entries }]), [NONE]);
    const [found] = (await readSets([set.name])).sets;
    t.strictSame([...(found?.entries ?? [])].toSorted(), entries.toSorted());
    t.strictSame(savedSets(set.name).slice(1).toSorted(), entries.map((one) => `add ${set.name} ${one}`).toSorted());
    let messages = 0;
    const counting = netlinkFunction({
      answers: (bytes) => {
        for (let at = 0; at < bytes.length; at += bytes.readUInt32LE(at)) messages += 1;
        return [[{ type: 2, sequence: messages - 1, payload: errnoPayload(0) }]];
      },
    });
    await changeSets([{ kind: "add", set, entries: entries.slice(0, 1800) }], counting);
    counts.push(messages);
  }
  t.strictSame(counts, [2, 3], "messages for 1800 entries");
});

t.test("a kernel without ipset, or without a type", async (t) => {
  const without = (errno: number) =>
    netlinkFunction({ answers: () => [[{ type: 2, sequence: 1, payload: errnoPayload(errno) }]] });
  t.match(await refusalOf(readSetSupport(without(22))), { step: "ipset protocol", target: "kernel", code: "EINVAL" });
  const [[refused] = []] = await changeSets([{ kind: "create", set: CLUSTER_IP }], without(4098));
  t.match(refused?.refusal, { step: "ipset type", target: "hash:ip,port", code: "IPSET_ERR_FIND_TYPE" });
  const protocol = Buffer.concat([Buffer.of(2, 0, 0, 0), attribute(1, Buffer.of(6)), attribute(10, Buffer.of(6))]);
  const onlyProtocol = netlinkFunction({
    answers: (bytes) =>
      bytes[4] === 1
        ? [[{ type: 0x601, sequence: 1, payload: protocol }], [{ type: 2, sequence: 1, payload: errnoPayload(0) }]]
        : [[{ type: 2, sequence: 1, payload: errnoPayload(4098) }]],
  });
  t.strictSame(await readSetSupport(onlyProtocol), { protocol: 6, missing: [...SET_TYPES] });
});

t.test("a name is found however its set is made, and where many parts tell of it", async (t) => {
  const memory = new IpvsMemory();
  const entries = Array.from({ length: 1_200 }, (_, index) => `10.${index >> 8}.${index & 255}.1,tcp:443`);
  await changeSets(
    [
      { kind: "create", set: CLUSTER_IP },
      { kind: "add", set: CLUSTER_IP, entries },
    ],
    memory.converse,
  );
  const otherwise = { ...NETS, family: "inet6" } as const;
  await changeSets([{ kind: "create", set: otherwise }], memory.converse);
  const names = [NETS.name, "KUBE-NOBODY", CLUSTER_IP.name];
  t.strictSame(await findSets(names, memory.converse), [NETS.name, CLUSTER_IP.name]);
  t.strictSame(await findSets([], memory.converse), []);
  const [set] = (await readSets([CLUSTER_IP.name], memory.converse)).sets;
  t.strictSame(set, { ...CLUSTER_IP, entries: new Set(entries) });
  memory.loses = () => "answer";
  t.match(await refusalOf(findSets(names, memory.converse)), { code: "ETIMEDOUT" });
});

t.test("a kernel that has not loaded ipset is not made to", async (t) => {
  t.strictSame(await findKnownSets(["KUBE-CLUSTER-IP"], "/sys/module/no-such-module"), []);
});

t.test("a failure to read is not taken for a set that is missing", async (t) => {
  const failing = netlinkFunction({ answers: () => [[{ type: 2, sequence: 1, payload: errnoPayload(12) }]] });
  t.match(await refusalOf(readSets(["KUBE-CLUSTER-IP"], failing)), { code: "ENOMEM" });
});

t.test("the fixtures are what this kernel says too", { skip }, async (t) => {
  for (const name of [
    "hash-ip-v6",
    "hash-ip-port-v4",
    "hash-ip-port-net-v4",
    "exception-v6",
    "bitmap-port",
    "other-options",
  ]) {
    const { bytes, comments } = ipsetFixture(name);
    ipset(["destroy"]);
    for (const command of comments.slice(1)) ipset(command.split(" ").slice(1));
    const set = comments[1]?.split(" ")[2] ?? "";
    const { found } = await dump({ protocol: "netfilter", type: 0x607, payload: listPayload(set) }, readSetPart);
    const lasting = ({ entries, ...part }: ReturnType<typeof readSetPart>) => ({
      ...part,
      entries: entries.map((entry) => JSON.stringify(entry)).sort(),
    });
    t.strictSame(found.map(lasting), [lasting(readSetPart(bytes))], name);
  }
});

t.test("a set that clashes with one of ours is described", { skip }, async (t) => {
  const sets = [CLUSTER_IP, { ...CLUSTER_IP, name: "KUBE-NOBODY" }];
  t.teardown(() => ipset(["destroy"]));
  await changeSets([{ kind: "create", set: CLUSTER_IP }]);
  t.strictSame(await findClashes(sets), []);
  t.strictSame(await findClashes([{ ...CLUSTER_IP, maxEntries: 10 }]), [], "a size can be changed");
  ipset(["create", "KUBE-NOBODY", "hash:ip", "timeout", "9"]);
  t.strictSame(await findClashes(sets), [
    "KUBE-NOBODY: type hash:ip, expected hash:ip,port; timeout 9, expected no such option",
  ]);
  t.strictSame(await findClashes([{ ...CLUSTER_IP, family: "inet6" }]), [
    "KUBE-CLUSTER-IP: family inet, expected inet6",
  ]);
});
