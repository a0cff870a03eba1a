import t from "tap";
import { insteadOf, serverRefusal } from "../../src/kernel/ipvs-refusal.ts";
import type { ServerChange } from "../../src/state/server-change.ts";

const SERVER = {
  address: "10.96.1.1",
  protocol: "TCP",
  port: 80,
  scheduler: "twos",
  schedulerFlags: 0,
  persistence: 0,
} as const;
const REAL = { address: "10.71.1.5", port: 8080, method: "masquerade", weight: 1 } as const;
const DRAINING = { ...REAL, weight: 0 };

const ERRNO = { EPERM: 1, ENOENT: 2, ESRCH: 3, EEXIST: 17, EINVAL: 22, EAFNOSUPPORT: 97 } as const;

const add: ServerChange = { kind: "add-server", server: SERVER };
const set: ServerChange = { kind: "set-server", server: SERVER };
const remove: ServerChange = { kind: "remove-server", server: SERVER };
const addReal: ServerChange = { kind: "add-real", server: SERVER, real: REAL };
const setReal: ServerChange = { kind: "set-real", server: SERVER, real: REAL };
const drain: ServerChange = { kind: "set-real", server: SERVER, real: DRAINING };
const removeReal: ServerChange = { kind: "remove-real", server: SERVER, real: REAL };

t.test("what is there already is set, and only what was to be added", async (t) => {
  t.strictSame(insteadOf(add, ERRNO.EEXIST), set);
  t.strictSame(insteadOf(addReal, ERRNO.EEXIST), setReal);
  for (const change of [set, setReal, remove, removeReal]) t.equal(insteadOf(change, ERRNO.EEXIST), undefined);
  for (const errno of [0, ERRNO.ENOENT, ERRNO.ESRCH]) t.equal(insteadOf(add, errno), undefined);
});

for (const [change, errno] of [
  [add, 0],
  [remove, ERRNO.ESRCH],
  [removeReal, ERRNO.ESRCH],
  [removeReal, ERRNO.ENOENT],
  [drain, ERRNO.ENOENT],
  [drain, ERRNO.ESRCH],
] as const) {
  t.test(`good: ${change.kind}, errno ${errno}`, async (t) => {
    t.equal(serverRefusal(change, errno), undefined);
  });
}

for (const [change, errno, code, words] of [
  [add, ERRNO.ENOENT, "ENOENT", "no scheduler twos"],
  [set, ERRNO.ESRCH, "ESRCH", "there is no such virtual server"],
  [addReal, ERRNO.ESRCH, "ESRCH", "there is no such virtual server"],
  [setReal, ERRNO.ENOENT, "ENOENT", "there is no such real server"],
  [add, ERRNO.EINVAL, "EINVAL", "the kernel does not take it"],
  [add, ERRNO.EAFNOSUPPORT, "EAFNOSUPPORT", "this kernel has no IPVS for the address family"],
  [remove, ERRNO.EPERM, "EPERM", "the kernel refuses"],
  [
    { kind: "remove-server", server: { address: "::", protocol: "UDP", port: 1 } },
    ERRNO.ENOENT,
    "ENOENT",
    "the kernel refuses",
  ],
] as const) {
  t.test(`${change.kind}, ${code}: ${words}`, async (t) => {
    t.match(serverRefusal(change, errno)?.refusal, { step: `ipvs ${change.kind}`, code, words });
  });
}
