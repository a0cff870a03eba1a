// In which transactions is a large change carried out, and is every one of them valid where it stands?
import t from "tap";
import { pagedList } from "../../src/paged-list.ts";
import { diff } from "../../src/plan/diff.ts";
import { restoreText } from "../../src/plan/restore-text.ts";
import type { Variant } from "../../src/plan/transactions.ts";
import { parseTables } from "../../src/state/iptables-parse.ts";
import { printTables } from "../../src/state/iptables-print.ts";
import {
  type Chain,
  emptyState,
  type Fragment,
  type KernelState,
  type TableName,
} from "../../src/state/kernel-state.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { buildChain, buildFragment, buildState } from "../support/fragments.ts";
import { savedTables } from "../support/saved-tables.ts";

const JUMP = { line: "-A OUTPUT -j KUBE-SERVICES" };
const OLD_JUMP = { line: "-A OUTPUT -j KUBE-NODEPORTS" };
const OUTPUT: Chain = { name: "OUTPUT", hold: "built-in", rules: [JUMP] };
const MARK = buildChain("KUBE-MARK-MASQ", "RETURN");
const CANARY: Chain = { name: "KUBE-PROXY-CANARY", hold: "ensured", rules: [] };
const FIXED = [OUTPUT, MARK, CANARY, buildChain("KUBE-SERVICES")];

const DNS = "kube-system/kube-dns:dns/UDP";

/** As if each had so many lines that a hundred of them are a piece. */
function serviceOf(key: string, chain: string, end: string): Fragment {
  return { ...buildFragment(key, [chain], [buildChain(chain, "KUBE-MARK-MASQ", end)]), size: 60 };
}

/** So many Services and the cluster's DNS, all with a jump to a fixed chain. */
function stateOf(services: number, end = "RETURN"): KernelState {
  const many = Array.from({ length: services }, (_, index) => serviceOf(`a/${index}`, `KUBE-SVC-${index}`, end));
  return buildState([...many, serviceOf(DNS, "KUBE-SVC-DNS", end)], FIXED);
}

/** The texts of the restores, and what the tools hold after the last one. */
async function carryOut(wanted: KernelState, before: string, variant: Variant = "nft") {
  const tools = new FakeIptables();
  tools.load(before);
  const actual = { ...emptyState("IPv4"), observed: true, tables: parseTables(tools.save()) } as const;
  const { steps } = diff(wanted, actual, { jumps: [JUMP, OLD_JUMP], variant });
  const texts = steps.flatMap((step) => (step.kind === "iptables" ? [[...restoreText(step.changes)].join("")] : []));
  for (const text of texts) tools.load(text);
  return { texts, held: await savedTables(async () => tools.save(), "IPv4") };
}

function printed(state: KernelState): string {
  return `${[...printTables(state)].join("\n")}\n`;
}

const LARGE = stateOf(250);

t.test("one restore for few Services, and for any number where the tool prefers it", async (t) => {
  t.equal((await carryOut(stateOf(199), "*nat\nCOMMIT\n")).texts.length, 1);
  t.equal((await carryOut(LARGE, "*nat\nCOMMIT\n", "legacy")).texts.length, 1);
});

t.test("on a fresh node the most urgent is served first, and each jump is put in once", async (t) => {
  const { texts, held } = await carryOut(LARGE, "*nat\nCOMMIT\n");
  t.equal(texts.length, 5, "the urgent, three pieces, the rest");
  t.match(texts[0], "-A KUBE-SERVICES -j KUBE-SVC-DNS\n");
  t.match(texts[0], "-I OUTPUT -j KUBE-SERVICES\n");
  t.notMatch(texts[0], "KUBE-SVC-7\n");
  t.notMatch(texts[4], "-I OUTPUT");
  t.notMatch(texts[4], ":KUBE-PROXY-CANARY", "what others may have filled meanwhile is not emptied");
  t.strictSame(held, printed(LARGE).trimEnd().split("\n"));
});

t.test("where Services are served, they are until the end", async (t) => {
  const before = printed(stateOf(260, "ACCEPT"));
  const { texts, held } = await carryOut(LARGE, before);
  t.equal(texts.length, 4);
  for (const text of texts.slice(0, -1)) t.notMatch(text, ":KUBE-SERVICES", "the way to them stays");
  t.match(texts.at(-1), "-X KUBE-SVC-255\n");
  t.strictSame(held, printed(LARGE).trimEnd().split("\n"));
});

t.test("a fixed chain that somebody took away comes before all that leads to it", async (t) => {
  const before = "*nat\n:KUBE-SERVICES - [0:0]\n-A OUTPUT -j KUBE-SERVICES\nCOMMIT\n";
  const { texts, held } = await carryOut(LARGE, before);
  t.match(texts[0], ":KUBE-MARK-MASQ");
  t.notMatch(texts[0], ":KUBE-SERVICES");
  t.notMatch(texts.at(-1), ":KUBE-MARK-MASQ", "and is written once");
  t.strictSame(held, printed(LARGE).trimEnd().split("\n"));
});

t.test("a jump that is no longer wanted goes once, before the chain that it leads to", async (t) => {
  const before = "*nat\n:KUBE-NODEPORTS - [0:0]\n-A OUTPUT -j KUBE-NODEPORTS\nCOMMIT\n";
  const { texts, held } = await carryOut(LARGE, before);
  t.equal(texts.join("").match(/^-D OUTPUT/gm)?.length, 1);
  t.match(texts.at(-1), "-X KUBE-NODEPORTS\n");
  t.strictSame(held, printed(LARGE).trimEnd().split("\n"));
});

t.test("chains that alone differ need no first and no last restore", async (t) => {
  const before = printed(stateOf(250, "ACCEPT"));
  const { texts, held } = await carryOut(LARGE, before);
  t.equal(texts.length, 3);
  t.strictSame(held, printed(LARGE).trimEnd().split("\n"));
});

t.test("the first restore of a fresh node does not wait for the chains of all Services", async (t) => {
  const asked = new Map<string, number>();
  const fragments = [...LARGE.fragments].map((fragment) => ({
    ...fragment,
    chains: (table: TableName) => {
      if (table === "nat") asked.set(fragment.key, (asked.get(fragment.key) ?? 0) + 1);
      return fragment.chains(table);
    },
  }));
  const fresh: KernelState = { ...emptyState("IPv4"), observed: true };
  const wanted = { ...LARGE, fragments: pagedList(fragments) };
  const { steps } = diff(wanted, fresh, { jumps: [JUMP], variant: "nft" });
  t.equal(steps.length, 5);
  t.ok(asked.size <= 5, `${asked.size} of ${fragments.length} were asked for their chains`);
});

t.test("Services without a chain make no restore on a fresh node", async (t) => {
  const bare = Array.from({ length: 150 }, (_, index) => buildFragment(`a/${index}`, []));
  const some = stateOf(200).fragments;
  const fresh: KernelState = { ...emptyState("IPv4"), observed: true };
  const plan = (state: KernelState) => diff(state, fresh, { jumps: [JUMP], variant: "nft" });
  t.equal(plan({ ...LARGE, fragments: pagedList([...bare, ...some]) }).steps.length, 5, "one piece of four is empty");
  const fixed = buildState(bare, [MARK, CANARY, buildChain("KUBE-SERVICES")]);
  t.equal(plan(fixed).steps.length, 1);
  const after = { ...emptyState("IPv4"), observed: true, tables: parseTables(printed(fixed)) } as const;
  t.strictSame(diff(fixed, after, { jumps: [], variant: "nft" }).steps, [], "and nothing is left to do afterwards");
});

/** So many Services with two endpoints each, the second of them named. */
function stateWith(services: number, second: string): KernelState {
  const fragments = Array.from({ length: services }, (_, index) => {
    const ends = ["FIRST", second].map((end) => buildChain(`KUBE-SEP-${index}-${end}`, "RETURN"));
    const chain = buildChain(`KUBE-SVC-${index}`, ...ends.map(({ name }) => name));
    return { ...buildFragment(`a/${index}`, [chain.name], [chain, ...ends]), size: 60 };
  });
  return buildState(fragments, FIXED);
}

t.test("of a Service that has another endpoint in the place of one, only that counts", async (t) => {
  const [before, wanted] = [stateWith(250, "OLD"), stateWith(250, "NEW")];
  const tools = new FakeIptables();
  tools.load(printed(before));
  const { steps } = diff(wanted, before, { jumps: [JUMP], variant: "nft" });
  const texts = steps.flatMap((step) => (step.kind === "iptables" ? [[...restoreText(step.changes)].join("")] : []));
  t.equal(texts.length, 1, "one restore, where whole chains would be three");
  t.match(texts[0], /^-R KUBE-SVC-249 2 -j KUBE-SEP-249-NEW$/m);
  t.notMatch(texts[0], /^:KUBE-SVC-/m);
  for (const text of texts) tools.load(text);
  t.strictSame(await savedTables(async () => tools.save(), "IPv4"), printed(wanted).trimEnd().split("\n"));

  const many = diff(stateWith(5000, "NEW"), stateWith(5000, "OLD"), { jumps: [JUMP], variant: "nft" });
  const inMany = many.steps.flatMap((step) => (step.kind === "iptables" ? [[...restoreText(step.changes)]] : []));
  const counted = inMany.map((lines) => [/^-R/, /^-X/].map((kind) => lines.filter((line) => kind.test(line)).length));
  t.strictSame(
    counted,
    [
      [2000, 0],
      [2000, 0],
      [1000, 0],
      [0, 5000],
    ],
    "thousands are cut, and what goes goes last",
  );
});
