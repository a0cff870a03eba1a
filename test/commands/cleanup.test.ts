// Checks what `cleanup` removes and reports, over stand-ins for the kernel.
import t from "tap";
import { cleanup, type Leftover } from "../../src/commands/cleanup.ts";
import { EXIT } from "../../src/commands/failure.ts";
import { KernelError } from "../../src/errors.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { whyUnusable } from "../../src/kernel/node-facts.ts";
import type { Family } from "../../src/net/family.ts";
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
  const why = (family: Family) => whyUnusable(tools.run, family);
  const input = { kernel: machine(tools.run), whyUnusable: why, backend: BACKEND, output, leftovers: [] };
  return { tools, output, input };
}

t.test("ours goes, what somebody else uses is emptied and named", async (t) => {
  const { tools, output, input } = setUp();
  t.equal(await cleanup({ ...input, dryRun: false }), EXIT.fine);
  t.notMatch(tools.save(), /KUBE-SERVICES/);
  t.match(tools.save(), /:KUBE-MARK-MASQ - \[0:0\]/);
  t.match(
    output.notes[0],
    /KUBE-MARK-MASQ in table nat stays, empty, because of a rule of other software: -A OTHER -j KUBE-MARK-MASQ/,
  );
});

t.test("a dry run says what would go and touches nothing", async (t) => {
  const { tools, output, input } = setUp();
  const before = tools.save();
  t.equal(await cleanup({ ...input, dryRun: true }), EXIT.fine);
  t.equal(tools.save(), before);
  t.match(output.text, /^would remove 4 rules in 2 chains$/m);
  t.match(output.text, /- IPv4 nat -D PREROUTING .*\n- IPv4 nat :KUBE-SERVICES\n/);
});

t.test("a failure is told, is the answer, and does not spare the other family", async (t) => {
  const { tools, output, input } = setUp();
  tools.missing.add("iptables-restore");
  t.equal(await cleanup({ ...input, dryRun: false }), EXIT.problems);
  t.match(output.notes, [/stays, empty/, /^IPv4: iptables-restore .*command not found/, /stays, empty/]);
  t.notMatch(tools.save(), /KUBE-SERVICES/, "the other family's tool did its part");
});

t.test("a machine whose iptables does not work is not called clean", async (t) => {
  const { tools, output, input } = setUp();
  tools.missing.add("iptables").add("ip6tables");
  const { there, leftovers } = someLeftovers();
  there.delete("a");
  t.equal(await cleanup({ ...input, leftovers, dryRun: false }), EXIT.unusable);
  t.match(output.notes, [/^error: IPv4: cannot change this node's rules: .*command not found/, /^error: IPv6: /]);
  t.equal(output.text, "removed 1 thing\n", "what does not take iptables is removed");
});

t.test("a machine without IPv6 is cleaned of IPv4 rules", async (t) => {
  const { tools, output, input } = setUp();
  tools.missing.add("ip6tables");
  t.equal(await cleanup({ ...input, dryRun: false }), EXIT.fine);
  t.match(output.notes[0], /^note: no IPv6 rules: .*command not found/);
  t.equal(output.text, "removed 2 rules in 1 chain\n");
  output.text = "";
  tools.load("*nat\nCOMMIT\n");
  t.equal(await cleanup({ ...input, dryRun: false }), EXIT.fine);
  t.equal(output.text, "nothing to remove (IPv4 examined)\n");
});

t.test("without the right to change rules nothing is touched", async (t) => {
  const { tools, input } = setUp();
  const before = tools.save();
  tools.fault = () => "Could not fetch rule set generation id: Permission denied (you must be root)";
  const { there, leftovers } = someLeftovers();
  await t.rejects(cleanup({ ...input, leftovers, dryRun: false }), {
    message: "cannot change this node's rules: permission denied; run as root",
  });
  t.equal(tools.save(), before);
  t.equal(there.size, 2);
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
  t.equal(await cleanup({ ...input, leftovers, dryRun: false }), EXIT.problems);
  t.strictSame([...there], ["a"]);
  t.match(output.notes.at(-1), /^thing: remove a: in use/);
});

t.test("a dry run says what other modes left", async (t) => {
  const { input, output } = setUp();
  const { there, leftovers } = someLeftovers();
  t.equal(await cleanup({ ...input, leftovers, dryRun: true }), EXIT.fine);
  t.match(output.text, /- thing a\n- thing b\nwould remove 4 rules in 2 chains, 2 things\n$/);
  t.equal(there.size, 2);
});

/** IPVS mode has taken over from the Indexed layout: it wrote the chains of the nat table, none of the filter table. */
const AFTER_INDEXED = `*nat
:KUBE-MARK-MASQ - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-NODEPORTS - [0:0]
:KUBE-IX-SVC-A - [0:0]
:KUBE-IX-N-TCP - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A KUBE-SERVICES -m set --match-set KUBE-CLUSTER-IP dst,dst -m comment --comment "not --match-set KUBE-IX-CLUSTER-IP" -j ACCEPT
-A KUBE-NODEPORTS -p tcp -j KUBE-IX-N-TCP
-A KUBE-IX-N-TCP -p tcp -m tcp --dport 31080 -j KUBE-IX-SVC-A
-A KUBE-IX-SVC-A -j KUBE-MARK-MASQ
COMMIT
*filter
:KUBE-FORWARD - [0:0]
:KUBE-SERVICES - [0:0]
:KUBE-IX-S-10.0.0.0-8 - [0:0]
:KUBE-IX-NODEPORTS - [0:0]
:OTHER - [0:0]
-A FORWARD -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A FORWARD -m set --match-set KUBE-IX-LOOP-BACK dst,dst,src -j ACCEPT
-A KUBE-FORWARD -m set --match-set KUBE-IX-LOOP-BACK dst,dst,src -j ACCEPT
-A KUBE-FORWARD -m conntrack --ctstate INVALID -j DROP
-A KUBE-SERVICES -d 10.0.0.0/8 -j KUBE-IX-S-10.0.0.0-8
-A KUBE-IX-S-10.0.0.0-8 -d 10.96.1.1/32 -j REJECT
-A OTHER -j KUBE-IX-NODEPORTS
COMMIT
`;

t.test(
  "cleanup of layout Indexed removes its chains and all rules of ours that refer to it, nothing else",
  async (t) => {
    const { tools, output, input } = setUp();
    tools.load(AFTER_INDEXED);
    tools.missing.add("ip6tables");
    const { leftovers, there } = someLeftovers();
    there.delete("a");
    const args = { ...input, leftovers, layout: "Indexed" } as const;
    t.equal(await cleanup({ ...args, dryRun: true }), EXIT.fine);
    t.match(output.text, /^- IPv4 nat -D KUBE-NODEPORTS -p tcp -j KUBE-IX-N-TCP$/m);
    t.match(output.text, /^would remove 6 rules in 3 chains, 1 thing$/m);
    t.equal(await cleanup({ ...args, dryRun: false }), EXIT.fine);
    t.strictSame(
      tools.save().match(/^.*KUBE-IX.*$/gm),
      [
        '-A KUBE-SERVICES -m set --match-set KUBE-CLUSTER-IP dst,dst -m comment --comment "not --match-set KUBE-IX-CLUSTER-IP" -j ACCEPT',
        ":KUBE-IX-NODEPORTS - [0:0]",
        "-A FORWARD -m set --match-set KUBE-IX-LOOP-BACK dst,dst,src -j ACCEPT",
        "-A OTHER -j KUBE-IX-NODEPORTS",
      ],
      "rules of other software stay, and so does the chain that one of them needs",
    );
    t.match(output.notes.at(-1), /KUBE-IX-NODEPORTS in table filter stays, empty, because of a rule of other software/);
    t.match(tools.save(), /^-A KUBE-FORWARD -m conntrack/m);
    t.strictSame([...there], [], "then the sets go");
    output.text = "";
    t.equal(await cleanup({ ...args, dryRun: false }), EXIT.fine);
    t.equal(output.text, "nothing to remove (IPv4 examined)\n");
  },
);

t.test("layout Indexed is not removed while packets to Services come to it", async (t) => {
  for (const rule of ["-j KUBE-IX-SVC-A", "-m set --match-set KUBE-IX-CLUSTER-IP dst,dst -j KUBE-MARK-MASQ"]) {
    const { tools, output, input } = setUp();
    tools.load(AFTER_INDEXED.replace("-A KUBE-NODEPORTS", `-A KUBE-SERVICES ${rule}\n-A KUBE-NODEPORTS`));
    tools.missing.add("ip6tables");
    const before = tools.save();
    const { leftovers, there } = someLeftovers();
    t.equal(await cleanup({ ...input, leftovers, layout: "Indexed", dryRun: false }), EXIT.problems);
    t.equal(tools.save(), before);
    t.equal(there.size, 2, "nor are its sets");
    t.ok(
      output.notes
        .at(-1)
        ?.startsWith(`IPv4: layout Indexed is in use: table nat has "-A KUBE-SERVICES ${rule}"; start kube-proxy`),
    );
  }
});
