// Are the time-outs of IPVS set as asked, and is a refusal no reason not to run?
import t from "tap";
import { setIpvsTimeouts } from "../../src/commands/ipvs-timeouts.ts";
import { ipvsKernel } from "../support/ipvs-kernel.ts";
import { keptLog } from "../support/kept-log.ts";

const NONE = { tcpTimeout: 0, tcpFinTimeout: 0, udpTimeout: 0 };

/** What the kernel was asked for, in seconds, and what the log said. */
async function set(given: Partial<typeof NONE>, kernel = ipvsKernel()) {
  const { logs, lines } = keptLog();
  await setIpvsTimeouts({ ...NONE, ...given }, logs("ipvs-timeouts.ts"), kernel);
  return { seconds: kernel.timeouts, lines };
}

t.test("where nothing is set the kernel is not asked", async (t) => {
  t.strictSame(await set({}), { seconds: [], lines: [] });
});

for (const [name, given, seconds] of [
  ["all three", { tcpTimeout: 900_000, tcpFinTimeout: 120_000, udpTimeout: 300_000 }, [900, 120, 300]],
  ["one of them leaves the others", { tcpFinTimeout: 30_000 }, [0, 30, 0]],
  ["fractions of a second are cut off", { tcpTimeout: 1999, udpTimeout: 500 }, [1, 0, 0]],
] as const) {
  t.test(`${name}`, async (t) => t.strictSame(await set(given), { seconds, lines: [] }));
}

t.test("a refusal is logged, and that is all", async (t) => {
  const { lines } = await set({ tcpTimeout: 1e13 }, ipvsKernel());
  t.match(lines, [/^"IPVS keeps its own timeouts" code="EINVAL" err="ipvs timeouts 4294967295 0 0: /]);
});

t.test("a fault of ours is not taken for a refusal", async (t) => {
  const converse = () => Promise.reject(new TypeError("a bug"));
  await t.rejects(set({ tcpTimeout: 1000 }, { ...ipvsKernel(), converse }), TypeError);
});
