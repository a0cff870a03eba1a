// Does the kernel make of kube-proxy's ten decimals what we write, for every number of endpoints to 5000?
import "../support/enter-sandbox.ts";

import t from "tap";
import { kernelProbability } from "../../src/backends/iptables/probability.ts";
import { inNamespace, VARIANTS, variantEnvironment, variantSkip } from "../support/iptables-variant.ts";
import { makeNetns, removeNetns } from "../support/netns.ts";
import { skipReason } from "../support/sandbox.ts";

const MOST = 5000;

/** Rules in one restore: an ordinary user's netlink messages may not be as long as root's. */
const BATCH = 500;

// Go prints 1/2048 with the even digit of a tie; all others are what JavaScript prints.
const tenDecimals = (n: number) => (n === 2048 ? "0.0004882812" : (1 / n).toFixed(10));

const skip = skipReason();
t.setTimeout(300_000);

for (const variant of VARIANTS) {
  t.test(`shares of ${variant}`, { skip: skip || variantSkip(variant) }, async (t) => {
    const node = await makeNetns("shares");
    t.teardown(() => removeNetns(node));
    const env = variantEnvironment(variant);
    const counts = Array.from({ length: MOST - 1 }, (_, index) => index + 2);
    const rule = (n: number, probability: string) =>
      `-A S -p tcp -m tcp --dport ${n} -m statistic --mode random --probability ${probability} -j RETURN`;
    const restore = async (chain: string, rules: readonly string[]) => {
      const load = (lines: readonly string[]) =>
        inNamespace(node, ["iptables-restore", "--noflush"], { env, input: `*nat\n${lines.join("\n")}\nCOMMIT\n` });
      await load([`:${chain} - [0:0]`]);
      for (let start = 0; start < rules.length; start += BATCH) await load(rules.slice(start, start + BATCH));
    };
    await restore(
      "S",
      counts.map((n) => rule(n, tenDecimals(n))),
    );
    const saved = await inNamespace(node, ["iptables-save", "-t", "nat"], { env });
    const printed = saved.split("\n").filter((line) => line.startsWith("-A S "));
    t.strictSame(
      printed,
      counts.map((n) => rule(n, kernelProbability(n))),
    );
    const again = printed.map((line) => line.replace("-A S ", "-A T "));
    await restore("T", again);
    const twice = await inNamespace(node, ["iptables-save", "-t", "nat"], { env });
    t.strictSame(
      twice.split("\n").filter((line) => line.startsWith("-A T ")),
      again,
      "eleven decimals are read back as the same share",
    );
  });
}
