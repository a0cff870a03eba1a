// Does each mode take the other one's jumps out?
import t from "tap";
import { openBackend } from "../../src/commands/backend.ts";

t.test("each mode writes its own rules and knows the jumps of both", async (t) => {
  const iptables = await openBackend({ mode: "iptables", iptablesLayout: "Compat" });
  const ipvs = await openBackend({ mode: "ipvs", iptablesLayout: "Compat" });
  t.equal(iptables.mode, "iptables");
  t.equal(ipvs.mode, "ipvs");
  const lines = iptables.jumps.map(({ line }) => line);
  t.strictSame(
    ipvs.jumps.map(({ line }) => line),
    lines,
  );
  t.match(lines.join("\n"), /-j KUBE-IPVS-FILTER/);
  t.match(lines.join("\n"), /-j KUBE-PROXY-FIREWALL/);
  t.equal(new Set(lines).size, lines.length, "those that both have are there once");
});
