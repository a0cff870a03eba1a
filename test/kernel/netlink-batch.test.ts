// Are many requests done, each told how it went, and never more answers waiting than fit?
import "../support/enter-sandbox.ts";

import fc from "fast-check";
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { attribute } from "../../src/kernel/attributes.ts";
import { cut, sendBatch } from "../../src/kernel/netlink-batch.ts";
import { type Request, readMessages, sizeOf } from "../../src/kernel/netlink-message.ts";
import { errnoPayload, netlinkFunction } from "../support/netlink-function.ts";
import { refusalOf } from "../support/refusal.ts";
import { privilege, skipReason } from "../support/sandbox.ts";
import { takeSeed } from "../support/seed.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(60_000);

const skip = skipReason();
const ENOENT = 2;
const EINVAL = 22;
const EOPNOTSUPP = 95;

/** Buffers as a machine grants them that allows no more. */
const USUAL = { receiveBuffer: 425_984, sendBuffer: 425_984 };

function requestOf(length: number): Request {
  return { type: 0x102, flags: 0, payload: Buffer.alloc(length) };
}

t.test("small requests go 277 at a time, or 138 where buffers are small", async (t) => {
  const requests = new Array<Request>(600).fill(requestOf(80));
  t.strictSame(
    [...cut(requests, USUAL)].map((part) => part.length),
    [277, 277, 46],
  );
  t.strictSame(
    [...cut(requests, { ...USUAL, receiveBuffer: 212_992 })].map((part) => part.length),
    [138, 138, 138, 138, 48],
  );
});

t.test("the larger requests are, the fewer go at a time", async (t) => {
  const lengthOf = (bytes: number) => [...cut(new Array<Request>(600).fill(requestOf(bytes)), USUAL)][0]?.length;
  t.strictSame([300, 1000, 4000, 60_000].map(lengthOf), [277, 166, 48, 6]);
  t.equal([...cut([requestOf(500_000), requestOf(4)], USUAL)].length, 2, "what fits nowhere goes alone");
});

t.test("whatever is to be sent: in order, all of it, and within both buffers", async (t) => {
  const seed = takeSeed();
  const property = fc.property(fc.array(fc.oneof(fc.nat(200), fc.nat(70_000)), { maxLength: 400 }), (lengths) => {
    const requests = lengths.map(requestOf);
    const parts = [...cut(requests, USUAL)];
    const fits = (part: readonly Request[]) => {
      const sent = part.reduce((sum, request) => sum + sizeOf(request), 0);
      return part.length === 1 || (sent < USUAL.sendBuffer - 32 && 832 * part.length < USUAL.receiveBuffer);
    };
    return (
      parts.flat().every((request, index) => request === requests[index]) &&
      parts.flat().length === requests.length &&
      parts.every(fits)
    );
  });
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 200 }));
});

t.test("a refusal in the midst stops nothing, and each request is told of by itself", { skip }, async (t) => {
  // Type 0x17e is no message of conntrack; nor is 0x7f00 of any subsystem. A delete with a tuple that is none is invalid.
  const invalid: Request = {
    type: 0x102,
    flags: 0,
    payload: Buffer.concat([Buffer.of(2, 0, 0, 0), attribute(0x8002, Buffer.alloc(0))]),
  };
  const requests = [invalid, { ...invalid, type: 0x17e }, { ...invalid, type: 0x7f00 }, invalid];
  t.strictSame(await sendBatch("netfilter", requests), [EINVAL, EINVAL, EINVAL, EINVAL]);
  t.strictSame(await sendBatch("netfilter", []), []);
});

t.test("other protocols, good and bad requests mixed", { skip }, async (t) => {
  // Of rtnetlink: an address of loopback is made twice and deleted twice.
  const address = Buffer.concat([Buffer.of(2, 32, 0, 0, 1, 0, 0, 0), attribute(2, Buffer.of(10, 9, 8, 7))]);
  const make: Request = { type: 20, flags: 0x600, payload: address };
  const remove: Request = { type: 21, flags: 0, payload: address };
  t.strictSame(await sendBatch("route", [make, make, remove, remove, make]), [0, 17, 0, 99, 0]);
  t.strictSame(await sendBatch("route", [{ type: 0x3fff, flags: 0, payload: Buffer.alloc(4) }]), [EOPNOTSUPP]);
});

t.test("ten thousand refusals do not overflow anything", { skip }, async (t) => {
  const long = Buffer.concat([
    Buffer.of(2, 32, 0, 0, 1, 0, 0, 0),
    attribute(2, Buffer.of(10, 9, 9, 9)),
    attribute(0x3f00, Buffer.alloc(1000)),
  ]);
  const longest = Buffer.concat([long, attribute(0x3f00, Buffer.alloc(60_000))]);
  for (const [count, payload] of [
    [10_000, long.subarray(0, 16)],
    [2000, long],
    [50, longest],
  ] as const) {
    const results = await sendBatch("route", new Array<Request>(count).fill({ type: 21, flags: 0, payload }));
    t.equal(results.length, count);
    t.strictSame([...new Set(results)], [99]);
  }
});

t.test("a request too large for any buffer is refused, not lost", { skip }, async (t) => {
  t.match(await refusalOf(sendBatch("netfilter", [requestOf(8_000_000)])), {
    step: "netfilter netlink",
    target: "send",
    code: "EMSGSIZE",
  });
});

t.test(
  "without rights all is refused at once",
  { skip: privilege().kind !== "root" && "an ordinary user has nobody else to become" },
  async (t) => {
    process.seteuid?.("nobody");
    t.teardown(() => process.seteuid?.(0));
    t.match(await refusalOf(sendBatch("netfilter", [requestOf(4), requestOf(4)])), { target: "batch", code: "EPERM" });
  },
);

t.test("answers are put together by their numbers, over several sends", async (t) => {
  const kernel = netlinkFunction({
    receiveBuffer: 3072,
    answers: (bytes) => {
      const sent = readMessages(bytes);
      const odd = sent.filter(({ sequence }) => sequence % 2 === 1).map(({ sequence }) => refusal(sequence, ENOENT));
      const last = sent.at(-1)?.sequence ?? 0;
      return [odd, last % 2 === 0 ? [refusal(last, 0)] : []];
    },
  });
  const requests = new Array<Request>(5).fill(requestOf(4));
  t.strictSame(await sendBatch("netfilter", requests, kernel), [0, ENOENT, 0, ENOENT, 0]);
});

t.test("a request is asked for when there is room to send it, and not before", async (t) => {
  const course: string[] = [];
  const kernel = netlinkFunction({
    receiveBuffer: 3072,
    answers: (bytes) => {
      const sent = readMessages(bytes).map(({ sequence }) => sequence);
      course.push(`${sent.join(" and ")} sent`);
      return [sent.map((sequence) => refusal(sequence, 0))];
    },
  });
  function* requests(): Iterable<Request> {
    for (let number = 0; number < 5; number++) {
      course.push(`${number} asked for`);
      yield requestOf(4);
    }
  }
  t.strictSame(await sendBatch("netfilter", requests(), kernel), [0, 0, 0, 0, 0]);
  t.strictSame(course, [
    ...["0 asked for", "1 asked for", "2 asked for", "0 and 1 sent"],
    ...["3 asked for", "4 asked for", "2 and 3 sent", "4 sent"],
  ]);
});

for (const [name, answer] of [
  ["of another kind", { type: 3, sequence: 0, payload: errnoPayload(0) }],
  ["to nothing that was asked", { type: 2, sequence: 9, payload: errnoPayload(0) }],
] as const) {
  t.test(`an answer ${name} is not believed`, async (t) => {
    await t.rejects(
      sendBatch("netfilter", [requestOf(4)], netlinkFunction({ answers: () => [[answer]] })),
      KernelError,
    );
  });
}

function refusal(sequence: number, errno: number) {
  return { type: 2, sequence, payload: errnoPayload(errno) };
}
