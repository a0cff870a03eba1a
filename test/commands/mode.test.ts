// Which mode does a node run in, and what is said of it, when IPVS is there, missing, or not to be asked?
import t from "tap";
import { FatalError } from "../../src/commands/failure.ts";
import { chooseMode } from "../../src/commands/mode.ts";
import { KernelError } from "../../src/errors.ts";
import type { IpvsSupport } from "../../src/kernel/ipvs-support.ts";
import { completeConfig } from "../../src/options/complete.ts";
import { DEFAULTS } from "../../src/options/defaults.ts";
import { optionsOf } from "../../src/options/options.ts";
import type { Config } from "../../src/options/table.ts";
import { keptLog } from "../support/kept-log.ts";

const MISSING: IpvsSupport = { kind: "missing", part: "FamilyMissing", words: "the kernel has no IPVS" };

/** A node with these fields in its configuration file, whose kernel answers so. */
async function choose(given: Partial<Config>, answer: () => Promise<IpvsSupport> = async () => MISSING) {
  const config = completeConfig(new Map(), { ...DEFAULTS, ...given });
  const { logs, lines } = keptLog();
  const asked: string[] = [];
  const ipvsSupport = (scheduler: string) => {
    asked.push(scheduler);
    return answer();
  };
  const chosen = await chooseMode({ options: optionsOf(config), config, ipvsSupport, log: logs("mode.ts") });
  return { ...chosen, asked, lines };
}

t.test("in iptables mode nobody asks the kernel", async (t) => {
  const { mode, fallback, asked } = await choose({ mode: "iptables" });
  t.equal(mode, "iptables");
  t.equal(fallback, undefined);
  t.strictSame(asked, []);
});

t.test("where IPVS mode is possible it is chosen", async (t) => {
  const { mode, options, fallback, asked, lines } = await choose({ mode: "ipvs" }, async () => ({ kind: "usable" }));
  t.equal(mode, "ipvs");
  t.equal(options.mode, "ipvs");
  t.equal(fallback, undefined);
  t.strictSame(asked, ["rr"]);
  t.strictSame(lines, []);
});

t.test("where it is not, iptables mode is, with its own least gap between passes", async (t) => {
  const { mode, options, fallback, lines } = await choose({ mode: "ipvs" });
  t.equal(mode, "iptables");
  t.match(options, { mode: "iptables", minSyncPeriod: 1000 });
  t.same(fallback, { part: "FamilyMissing", words: "the kernel has no IPVS" });
  t.strictSame(lines, [
    '"IPVS mode is not possible here, falling back to iptables mode" reason="FamilyMissing" err="the kernel has no IPVS"',
  ]);
});

t.test("what was set for IPVS mode is told to be without meaning, line by line", async (t) => {
  const { asked, lines } = await choose({
    mode: "ipvs",
    "ipvs.scheduler": "twos",
    "ipvs.strictARP": true,
    "ipvs.excludeCIDRs": ["10.50.0.0/16"],
    "ipvs.fallback": "IPTables",
  });
  t.strictSame(asked, ["twos"]);
  t.strictSame(lines.slice(1).toSorted(), [
    '"Ignoring a setting of IPVS mode" field="ipvs.excludeCIDRs"',
    '"Ignoring a setting of IPVS mode" field="ipvs.scheduler"',
    '"Ignoring a setting of IPVS mode" field="ipvs.strictARP"',
  ]);
});

t.test("who forbids to fall back is told why IPVS mode is not possible", async (t) => {
  await t.rejects(
    choose({ mode: "ipvs", "ipvs.fallback": "None" }),
    new FatalError("can't use the IPVS proxier: the kernel has no IPVS (FamilyMissing)"),
  );
});

t.test("a kernel that refuses to say is no reason to fall back", async (t) => {
  const refusal = new KernelError({ step: "generic netlink", target: "IPVS", code: "EPERM", words: "not permitted" });
  await t.rejects(
    choose({ mode: "ipvs" }, () => Promise.reject(refusal)),
    new FatalError("can't use the IPVS proxier: generic netlink IPVS: not permitted (EPERM)"),
  );
  await t.rejects(
    choose({ mode: "ipvs" }, () => Promise.reject(new TypeError("a bug"))),
    TypeError,
  );
});
