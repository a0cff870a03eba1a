// The probe for IPVS mode, against fake kernels that lack something.
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { attribute } from "../../src/kernel/attributes.ts";
import type { RunCommand } from "../../src/kernel/command.ts";
import { readServers } from "../../src/kernel/ipvs.ts";
import { ipvsSupport, type SupportAccess } from "../../src/kernel/ipvs-support.ts";
import type { Converse } from "../../src/kernel/netlink.ts";
import { type Message, readMessages } from "../../src/kernel/netlink-message.ts";
import { ipvsKernel } from "../support/ipvs-kernel.ts";
import { type Answer, errnoPayload, netlinkFunction } from "../support/netlink-function.ts";
import { refusalOf } from "../support/refusal.ts";

const ERRNO = { EPERM: 1, ENOENT: 2, EBUSY: 16, ENODEV: 19, EINVAL: 22, EOPNOTSUPP: 95 } as const;

interface Lacks {
  /** Has no IPVS, or none before `modprobe` was run. */
  readonly family?: "for good" | "until loaded";
  /** Newest version of ipset's language, or the errno of all its answers. */
  readonly sets?: { readonly newest: number } | { readonly errno: number };
  /** A type of set that it does not have. */
  readonly type?: string;
  /** The errno with which it refuses to make an interface, so many times. */
  readonly device?: { readonly errno: number; readonly times: number };
}

/** A kernel that lacks these things, and the programs that were run. */
function kernelWithout({ family, sets = { newest: 7 }, type, device }: Lacks) {
  const ran: string[] = [];
  const tries = { device: 0 };
  const ipvs = ipvsKernel();
  const none = ipvsKernel({ absent: true });
  let made = false;
  const answerSets = ({ type: number, sequence, payload }: Message): Answer => {
    const refused = (errno: number) => ({ type: 2, sequence, payload: errnoPayload(errno) });
    if ("errno" in sets) return refused(sets.errno);
    if (type !== undefined && payload.includes(`${type}\0`)) return refused(ERRNO.EINVAL);
    const range = (newest: number, least: number, code: number) =>
      Buffer.concat([Buffer.alloc(4), attribute(code, Buffer.of(newest)), attribute(10, Buffer.of(least))]);
    return { type: number, sequence, payload: number % 256 === 1 ? range(sets.newest, 6, 1) : range(8, 0, 4) };
  };
  const answerLinks = ({ type: number, sequence }: Message): Answer => {
    const done = (errno: number) => ({ type: 2, sequence, payload: errnoPayload(errno) });
    if (number === 18) {
      if (!made) return done(ERRNO.ENODEV);
      const header = Buffer.alloc(16);
      header.writeInt32LE(7, 4);
      return { type: 16, sequence, payload: Buffer.concat([header, attribute(3, Buffer.from("kube-ipvs0\0"))]) };
    }
    tries.device += 1;
    if (device && tries.device <= device.times) return done(device.errno);
    made = true;
    return done(0);
  };
  const withEnd = (answer: Answer): readonly Answer[] =>
    answer.type === 2 ? [answer] : [answer, { type: 2, sequence: answer.sequence, payload: errnoPayload(0) }];
  const functionOf = (answer: (message: Message) => Answer) =>
    netlinkFunction({ answers: (bytes) => readMessages(bytes).map((message) => withEnd(answer(message))) });
  const others = { netfilter: functionOf(answerSets), route: functionOf(answerLinks) };
  const converse: Converse = (protocol, purpose, talk) => {
    if (protocol !== "generic") return others[protocol](protocol, purpose, talk);
    const absent = family === "for good" || (family === "until loaded" && ran.length === 0);
    return (absent ? none : ipvs).converse(protocol, purpose, talk);
  };
  const run: RunCommand = async ({ program, args }) => {
    ran.push([program, ...args].join(" "));
    if (family === "for good") throw new KernelError({ step: program, target: "", code: "1", words: "no module" });
    return "";
  };
  const access: SupportAccess = { run, ipvs: { converse, readProc: ipvs.readProc } };
  return { access, ran, tries, ipvs };
}

t.test("a kernel that has all is left as it was", async (t) => {
  const { access, ran, ipvs } = kernelWithout({});
  t.strictSame(await ipvsSupport(access, "rr"), { kind: "usable" });
  t.strictSame(await readServers("IPv4", ipvs), [], "the trial is gone");
  t.strictSame(ran, [], "no module is asked for that is there");
});

t.test("a kernel that does not load the module by itself is told to, once", async (t) => {
  const { access, ran } = kernelWithout({ family: "until loaded" });
  t.strictSame(await ipvsSupport(access, "rr"), { kind: "usable" });
  t.strictSame(ran, ["modprobe -va ip_vs"]);
});

const LACKS: readonly (readonly [name: string, lacks: Lacks, part: string, words: RegExp])[] = [
  ["no IPVS", { family: "for good" }, "FamilyMissing", /no IPVS/],
  ["no ipset", { sets: { errno: ERRNO.EINVAL } }, "IPSetMissing", /no ipset/],
  ["an ipset of long ago", { sets: { newest: 5 } }, "IPSetMissing", /version 5 of ipset's language/],
  ["a type of set missing", { type: "bitmap:port" }, "IPSetMissing", /no sets of type bitmap:port/],
  ["no dummies", { device: { errno: ERRNO.EOPNOTSUPP, times: 9 } }, "DummyMissing", /no interfaces of type dummy/],
];

for (const [name, lacks, part, words] of LACKS) {
  t.test(`${name}: falls back for ${part}`, async (t) => {
    const { access, ipvs } = kernelWithout(lacks);
    t.match(await ipvsSupport(access, "rr"), { kind: "missing", part, words });
    t.strictSame(await readServers("IPv4", ipvs), [], "no trial is left");
  });
}

t.test("a scheduler that is unknown is named; that there is no rr is more than a lack", async (t) => {
  const { access, ipvs } = kernelWithout({});
  t.match(await ipvsSupport(access, "twos"), { part: "SchedulerMissing", words: "the kernel has no scheduler twos" });
  t.strictSame(await readServers("IPv4", ipvs), []);
  const bare = ipvsKernel({ schedulers: ["mh"] });
  t.match(await refusalOf(ipvsSupport({ ...access, ipvs: bare }, "rr")), { code: "ENOENT" });
});

t.test("rights that are missing are no lack of the kernel's", async (t) => {
  const sets = kernelWithout({ sets: { errno: ERRNO.EPERM } });
  t.match(await refusalOf(ipvsSupport(sets.access, "rr")), { code: "EPERM" });
  const device = kernelWithout({ device: { errno: ERRNO.EPERM, times: 9 } });
  t.match(await refusalOf(ipvsSupport(device.access, "rr")), { code: "EPERM" });
  t.equal(device.tries.device, 1, "and no second try would bring them");
});

t.test("what passes is tried three times", async (t) => {
  const passing = kernelWithout({ device: { errno: ERRNO.EBUSY, times: 2 } });
  t.strictSame(await ipvsSupport(passing.access, "rr"), { kind: "usable" });
  const lasting = kernelWithout({ device: { errno: ERRNO.EBUSY, times: 3 } });
  t.match(await refusalOf(ipvsSupport(lasting.access, "rr")), { code: "EBUSY" });
});

for (const lacks of [{}, { family: "for good" }] as const) {
  t.test(`a scheduler that no kernel has is an error, ${"family" in lacks ? "without" : "with"} IPVS`, async (t) => {
    const { access } = kernelWithout(lacks);
    const refusal = await refusalOf(ipvsSupport(access, "round-robin"));
    t.match(refusal, { target: "round-robin", code: "ENOENT", words: /unknown scheduler; Linux has dh, .* wrr$/ });
  });
}
