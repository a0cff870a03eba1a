import t from "tap";
import { cleanup, type Leftover } from "../../src/commands/cleanup.ts";
import { KernelError } from "../../src/errors.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { CollectedOutput } from "../support/collected-output.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { BACKEND } from "../support/templates.ts";

const NODE = `*nat
:KUBE-MARK-MASQ - [0:0]
:KUBE-SERVICES - [0:0]
:OTHER - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000
-A OTHER -j KUBE-MARK-MASQ
COMMIT
`;

function setUp() {
  const tools = new FakeIptables();
  tools.load(NODE);
  const output = new CollectedOutput();
  // Both families' tools work here, on the one set of tables that the stand-in has.
  const input = { kernel: machine(tools.run), backend: BACKEND, output, leftovers: [] };
  return { tools, output, input };
}

t.test("ours goes, what somebody else uses is emptied and named", async (t) => {
  const { tools, output, input } = setUp();
  t.ok(await cleanup({ ...input, dryRun: false }));
  t.notMatch(tools.save(), /KUBE-SERVICES/);
  t.match(tools.save(), /:KUBE-MARK-MASQ - \[0:0\]/);
  t.match(output.notes[0], /KUBE-MARK-MASQ in table nat stays, empty, .*: -A OTHER -j KUBE-MARK-MASQ/);
});

t.test("a dry run says what would go and touches nothing", async (t) => {
  const { tools, output, input } = setUp();
  const before = tools.save();
  t.ok(await cleanup({ ...input, dryRun: true }));
  t.equal(tools.save(), before);
  t.match(output.text, /- IPv4 nat -D PREROUTING .*\n- IPv4 nat :KUBE-SERVICES\n/);
});

t.test("a failure is told, is the answer, and does not spare the other family", async (t) => {
  const { tools, output, input } = setUp();
  tools.missing.add("iptables-restore");
  t.notOk(await cleanup({ ...input, dryRun: false }));
  t.match(output.notes, [/stays, empty/, /^IPv4: iptables-restore .*command not found/, /stays, empty/]);
  t.notMatch(tools.save(), /KUBE-SERVICES/, "the other family's tool did its part");
});

t.test("a machine without working tools has no rules", async (t) => {
  const { tools, output, input } = setUp();
  tools.missing.add("iptables").add("ip6tables");
  t.ok(await cleanup({ ...input, dryRun: false }));
  t.strictSame(output.notes, []);
});

t.test("a fault of ours is not taken for a failure", async (t) => {
  const { input, tools } = setUp();
  const kernel = { ...input.kernel, observe: () => Promise.reject(new TypeError("a bug")) };
  await t.rejects(cleanup({ ...input, kernel, dryRun: false }), TypeError);
  t.match(tools.save(), /KUBE-SERVICES/);
});

/** Things of another mode, of which one cannot be taken away. */
function someLeftovers() {
  const there = new Set(["a", "b"]);
  const things: Leftover = {
    kind: "thing",
    find: async () => [...there],
    remove: async (name) => {
      if (name === "a") throw new KernelError({ step: "remove", target: name, code: "EBUSY", words: "in use" });
      there.delete(name);
    },
  };
  const unknown: Leftover = { ...things, find: () => Promise.reject(NO_SUCH) };
  return { there, leftovers: [unknown, things] };
}

const NO_SUCH = new KernelError({
  step: "find",
  target: "",
  code: "EOPNOTSUPP",
  words: "no such thing in this kernel",
});

t.test("what other modes left goes too; what cannot go is told, and does not spare the rest", async (t) => {
  const { input, output } = setUp();
  const { there, leftovers } = someLeftovers();
  t.notOk(await cleanup({ ...input, leftovers, dryRun: false }));
  t.strictSame([...there], ["a"]);
  t.match(output.notes.at(-1), /^thing: remove a: in use/);
});

t.test("a dry run says what other modes left", async (t) => {
  const { input, output } = setUp();
  const { there, leftovers } = someLeftovers();
  t.ok(await cleanup({ ...input, leftovers, dryRun: true }));
  t.match(output.text, /- thing a\n- thing b\n$/);
  t.equal(there.size, 2);
});
