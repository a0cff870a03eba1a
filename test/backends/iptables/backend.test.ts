import t from "tap";
import { iptablesBackend } from "../../../src/backends/iptables/backend.ts";
import { RuleSyntaxError } from "../../../src/errors.ts";
import { isOurChain } from "../../../src/state/ownership.ts";
import { BACKEND, TEMPLATES } from "../../support/templates.ts";

t.test("a template that is missing or cannot be read is named", async (t) => {
  const without = new Map([...TEMPLATES].filter(([name]) => name !== "nat/PREROUTING"));
  t.throws(() => iptablesBackend(without), { message: "template nat/PREROUTING is missing" });
  t.throws(() => iptablesBackend(new Map([...TEMPLATES, ["nat/X", "nonsense"]])), RuleSyntaxError);
});

t.test("jumps to the chain that is shared with kubelet are not ours to take away", async (t) => {
  const lines = BACKEND.jumps.map(({ line }) => line);
  t.equal(lines.length, 12);
  t.notOk(lines.some((line) => line.includes("KUBE-FIREWALL")));
  t.notOk(isOurChain("nat", undefined));
});
