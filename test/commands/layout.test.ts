import t from "tap";
import { readConfiguration } from "../../src/commands/configuration.ts";
import { chooseLayout } from "../../src/commands/layout.ts";
import { keptLog } from "../support/kept-log.ts";

async function choose(flags: readonly (readonly [string, readonly [string]])[], trouble?: string) {
  const { options } = await readConfiguration(new Map(flags));
  const { logs, lines } = keptLog();
  let asked = 0;
  const setTrouble = async () => {
    asked++;
    return trouble;
  };
  const chosen = await chooseLayout({ options, setTrouble, log: logs("layout.ts") });
  return { layout: chosen.options.iptablesLayout, why: chosen.layoutFallback, asked, lines };
}

const INDEXED = [["iptables-layout", ["Indexed"]]] as const;

t.test("Indexed where the kernel has sets", async (t) => {
  t.strictSame(await choose(INDEXED), { layout: "Indexed", why: undefined, asked: 1, lines: [] });
});

t.test("Compat where it has none, said once", async (t) => {
  t.match(await choose(INDEXED, "the kernel has no ipset"), {
    layout: "Compat",
    why: "the kernel has no ipset",
    lines: [/^"The Indexed layout is not possible here, falling back to Compat" err="the kernel has no ipset"$/],
  });
});

t.test("nobody asks the kernel for sets that nobody wants", async (t) => {
  t.strictSame(await choose([]), { layout: "Compat", why: undefined, asked: 0, lines: [] });
  t.equal((await choose([...INDEXED, ["proxy-mode", ["ipvs"]]], "no")).asked, 0);
});
