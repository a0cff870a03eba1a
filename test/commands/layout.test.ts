// Tests the choice of the layout of iptables mode.
import t from "tap";
import { readConfiguration } from "../../src/commands/configuration.ts";
import { chooseLayout } from "../../src/commands/layout.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { keptLog } from "../support/kept-log.ts";

async function choose(
  flags: readonly (readonly [string, readonly [string]])[],
  trouble?: string,
  families: readonly Family[] = FAMILIES,
) {
  const { options } = await readConfiguration(new Map(flags));
  const { logs, lines } = keptLog();
  const asked: Family[] = [];
  const setTrouble = async (family: Family) => {
    asked.push(family);
    return family === "IPv6" ? trouble : undefined;
  };
  const chosen = await chooseLayout({ options, families, setTrouble, log: logs("layout.ts") });
  return { layout: chosen.options.iptablesLayout, why: chosen.layoutFallback, asked, lines };
}

const INDEXED = [["iptables-layout", ["Indexed"]]] as const;

t.test("Indexed where rules of every family can match sets", async (t) => {
  t.strictSame(await choose(INDEXED), { layout: "Indexed", why: undefined, asked: ["IPv4", "IPv6"], lines: [] });
});

t.test("Compat, with a warning, where rules of one family cannot", async (t) => {
  t.match(await choose(INDEXED, "the kernel has no ipset"), {
    layout: "Compat",
    why: "the kernel has no ipset",
    lines: [
      /^"The Indexed layout is not possible here, falling back to Compat" ipFamily="IPv6" err="the kernel has no/,
    ],
  });
});

t.test("a family that iptables cannot serve anyway does not count", async (t) => {
  t.match(await choose(INDEXED, "no ip6tables", ["IPv4"]), { layout: "Indexed", asked: ["IPv4"], lines: [] });
});

t.test("the kernel is not asked for sets that no rule needs", async (t) => {
  t.strictSame(await choose([]), { layout: "Compat", why: undefined, asked: [], lines: [] });
  t.strictSame((await choose([...INDEXED, ["proxy-mode", ["ipvs"]]], "no")).asked, []);
});
