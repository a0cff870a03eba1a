import t from "tap";
import { familyTables, parseTable } from "../../src/state/dump-tables.ts";

const text = (rule: string, table = "nat") => `*${table}\n:X - [0:0]\n${rule}\nCOMMIT\n`;
const piece = (rule: string, table = "nat") => ({ table, number: 1, text: text(rule, table), family: undefined });

t.test("what in a rule tells its family", async (t) => {
  const cases: readonly [string, "IPv4" | "IPv6" | undefined][] = [
    ["-A X ! -s 10.0.0.0/8 -j RETURN", "IPv4"],
    ["[3:180] -A X -d ::1/128 -j RETURN", "IPv6"],
    ['-A X -m comment --comment "-d 10.0.0.1" -j REJECT --reject-with icmp6-port-unreachable', "IPv6"],
    ["-A X -j REJECT --reject-with icmp-port-unreachable", "IPv4"],
    ["-A X -p tcp -j DNAT --to-destination [fd00::1]:80", "IPv6"],
    ["-A X -p tcp -j DNAT --to-destination 10.0.0.1:80 --random", "IPv4"],
    ['-A X -m comment --comment " --to-destination 10.0.0.1" -j RETURN', undefined],
  ];
  for (const [rule, family] of cases) {
    if (family === undefined) t.throws(() => familyTables([piece(rule)], undefined), /nothing tells/);
    else t.equal(familyTables([piece(rule)], undefined)[0]?.family, family, rule);
  }
});

t.test("a table that says nothing is of the family of those beside it, or of the one asked for", async (t) => {
  const silent = piece("-A X -j RETURN", "mangle");
  const told = piece("-A X -s fd00::/8 -j RETURN");
  const families = familyTables([silent, told, silent, piece("-A X -s 10.0.0.0/8 -j RETURN")], undefined);
  t.strictSame(
    families.map(({ family, table }) => `${family} ${table}`),
    ["IPv6 mangle", "IPv6 nat", "IPv4 mangle", "IPv4 nat"],
  );
  t.equal(familyTables([silent], "IPv6")[0]?.family, "IPv6");
  t.equal(familyTables([{ ...silent, family: "IPv4" }], "IPv6")[0]?.family, "IPv4", "a comment goes before");
});

t.test("built-in chains need not be declared", async (t) => {
  const chains = parseTable(piece("-A PREROUTING -j X")).get("nat");
  t.strictSame(chains?.get("PREROUTING"), {
    name: "PREROUTING",
    hold: "built-in",
    rules: [{ line: "-A PREROUTING -j X" }],
  });
  t.throws(() => parseTable({ ...piece("-A INPUTT -j X"), number: 7 }), /line 9: rule of a chain that is not declared/);
});
