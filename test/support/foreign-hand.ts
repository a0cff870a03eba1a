// What do others do to a node's tables: an operator who tries something, a program that cleans up too much?

/** What other software has on the node before we come. None of it may ever be touched. */
export const FOREIGN = `*filter
:DOCKER-USER - [0:0]
-A FORWARD -j DOCKER-USER
-A DOCKER-USER -j RETURN
COMMIT
*nat
:CNI-HOSTPORT-DNAT - [0:0]
-A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT
-A CNI-HOSTPORT-DNAT -p tcp -m tcp --dport 8088 -j DNAT --to-destination 10.244.0.8:80
COMMIT
`;

/** Lines of saved tables that are not ours. */
export function foreignLines(saved: readonly string[]): readonly string[] {
  return saved.filter((line) => !line.includes("KUBE-") && /^(:|-A)/.test(line));
}

/** The rest: what a keeper answers for. */
export function ourLines(saved: readonly string[]): readonly string[] {
  return saved.filter((line) => line.includes("KUBE-") || !/^(:|-A)/.test(line));
}

/** The same with jumps in built-in chains in front, sorted: a missing one may come back at another place. */
export function withoutJumpOrder(lines: readonly string[]): readonly string[] {
  const isJump = (line: string) => /^-A (?:PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING) /.test(line);
  return [...lines.filter(isJump).sort(), ...lines.filter((line) => !isJump(line))];
}

interface Table {
  readonly name: string;
  readonly chains: readonly string[];
  readonly rules: readonly string[];
}

type Edit = (table: Table, choice: number) => readonly string[];

const ADD: Edit = ({ chains, rules }, choice) => {
  const chain = choose(chains, choice);
  const length = rules.filter((rule) => rule.startsWith(`-A ${chain} `)).length;
  return [`-I ${chain} ${1 + (choice % (length + 1))} -s 10.9.0.${choice % 250}/32 -j RETURN`];
};

const EDITS: readonly Edit[] = [
  ADD,
  ADD,
  ({ chains }, choice) => [`-A ${choose(chains, choice)} -s 10.9.0.${choice % 250}/32 -j ACCEPT`],
  ({ chains }, choice) => [`:${choose(chains, choice)} - [0:0]`],
  ({ rules }, choice) => (rules.length === 0 ? [] : [`-D${choose(rules, choice).slice(2)}`]),
  // Whoever removes a chain has to take out first what leads into it.
  ({ chains, rules }, choice) => {
    const chain = choose(chains, choice);
    const isLeading = (rule: string) => [" -j ", " -g "].some((goes) => rule.endsWith(goes + chain));
    const leading = rules.filter((rule) => isLeading(rule) && !rule.startsWith(`-A ${chain} `));
    return [`:${chain} - [0:0]`, ...leading.map((rule) => `-D${rule.slice(2)}`), `-X ${chain}`];
  },
  // All that is ours in the table.
  ({ chains, rules }) => {
    const jumps = rules.filter((rule) => !chains.some((chain) => rule.startsWith(`-A ${chain} `)));
    const [out, empty] = [jumps.map((rule) => `-D${rule.slice(2)}`), chains.map((chain) => `:${chain} - [0:0]`)];
    return [...empty, ...out, ...chains.map((chain) => `-X ${chain}`)];
  },
  (_, choice) => [`-I OUTPUT 1 -s 10.9.1.${choice % 250}/32 -j RETURN`],
];

/** Restore input that changes what is saved, chosen by a number. What is in KUBE-FIREWALL and canaries is others'. */
export function foreignEdit(saved: readonly string[], choice: number): string {
  const tables = tablesIn(saved).filter(({ name, chains }) => name !== "mangle" && chains.length > 0);
  if (tables.length === 0) return "";
  const table = choose(tables, choice);
  const edit = choose(EDITS, Math.floor(choice / tables.length));
  const lines = edit(table, Math.floor(choice / tables.length / EDITS.length));
  return `*${table.name}\n${lines.map((line) => `${line}\n`).join("")}COMMIT\n`;
}

function tablesIn(saved: readonly string[]): readonly Table[] {
  const texts = saved
    .join("\n")
    .split(/\n?COMMIT\n?/)
    .filter((text) => text !== "");
  return texts.map((text) => {
    const [head = "", ...lines] = text.split("\n").filter((line) => !/KUBE-FIREWALL|CANARY/.test(line));
    const chains = lines.flatMap((line) => (line.startsWith(":KUBE-") ? [line.slice(1).split(" ")[0] ?? ""] : []));
    return { name: head.slice(1), chains, rules: lines.filter((line) => /^-A .*KUBE-/.test(line)) };
  });
}

function choose<Item>(items: readonly Item[], choice: number): Item {
  const item = items[choice % items.length];
  if (item === undefined) throw new RangeError("nothing to choose from");
  return item;
}
