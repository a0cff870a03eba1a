import t from "tap";
import { setOwnSysctls } from "../../src/commands/own-sysctls.ts";
import { KernelError } from "../../src/errors.ts";
import type { Kernel } from "../../src/kernel/kernel.ts";
import type { Step } from "../../src/plan/plan.ts";
import { buildFacts, buildNode, buildOptions } from "../support/build.ts";
import { BACKEND } from "../support/templates.ts";

const PATH = "net/ipv4/conf/all/route_localnet";
const FACTS = { ...buildFacts(), iptablesVariant: "nft" as const, kernelVersion: "6.1", cpus: 1 };

/** What is written to a kernel whose setting has this value. */
async function written(value: string, given: Parameters<typeof buildOptions>[0] = {}, refuses = false) {
  const done: Step[] = [];
  const kernel: Pick<Kernel, "sysctls" | "apply"> = {
    sysctls: async (paths) => paths.map((path) => ({ path, value })),
    apply: async ({ steps }) => {
      const [step] = steps;
      const error = new KernelError({ step: "sysctl", target: PATH, code: "EROFS", words: "read-only" });
      if (step && refuses) return { done, refused: { step, error }, sent: new Map(), items: [], draining: [] };
      done.push(...steps);
      return { done, sent: new Map(), items: [], draining: [] };
    },
  };
  const facts = { ...FACTS, families: ["IPv4", "IPv6"] as const };
  const nodes = new Map([["n1", buildNode()]]);
  await setOwnSysctls({ kernel, backend: BACKEND, options: buildOptions(given), nodeName: "n1", facts, nodes });
  return done;
}

t.test("what the mode needs is written before there is a Service", async (t) => {
  t.strictSame(await written("0"), [{ kind: "sysctl", path: PATH, value: "1" }]);
});

t.test("what is so already takes no rights", async (t) => {
  t.strictSame(await written("1", {}, true), []);
});

t.test("what nobody asks for is left alone", async (t) => {
  t.strictSame(await written("0", { localhostNodePorts: false }), []);
  t.strictSame(await written("0", { nodePortAddresses: ["primary"] }), [], "nodePorts do not answer at localhost");
});

t.test("a refusal is the end", async (t) => {
  await t.rejects(written("0", {}, true), { name: "FatalError", message: /^unable to create proxier: sysctl .*EROFS/ });
});
