// Tests of the values of flags as `/flagz` and the log show them.
import t from "tap";
import { flagValues } from "../../src/options/flag-values.ts";
import { ALL_FLAGS, type GivenFlags } from "../../src/options/flags.ts";
import type { Texts } from "../../src/options/value-type.ts";

function valuesOf(flags: Readonly<Record<string, Texts>>): ReadonlyMap<string, string> {
  const given: GivenFlags = new Map(Object.entries(flags));
  return new Map(flagValues(given));
}

t.test("every flag has a value, in the order of their names", async (t) => {
  t.strictSame(
    [...valuesOf({}).keys()],
    ALL_FLAGS.map(({ flag }) => flag),
  );
});

t.test("without a configuration file flags show what is filled in at start, with one what was given", async (t) => {
  const filledIn = ["proxy-mode", "detect-local-mode", "healthz-bind-address", "metrics-bind-address"];
  const shown = (flags: Readonly<Record<string, Texts>>) => filledIn.map((name) => valuesOf(flags).get(name));
  t.strictSame(shown({}), ["iptables", "ClusterCIDR", "0.0.0.0:10256", "127.0.0.1:10249"]);
  t.strictSame(shown({ "healthz-port": ["0"], "metrics-bind-address": ["10.0.0.1"], "metrics-port": ["99"] }), [
    "iptables",
    "ClusterCIDR",
    "",
    "10.0.0.1:99",
  ]);
  t.strictSame(shown({ config: ["config.conf"], "healthz-port": ["0"] }), ["", "", "0.0.0.0:10256", "127.0.0.1:10249"]);
});

const VALUES: readonly (readonly [name: string, given: Texts | undefined, value: string])[] = [
  ["bind-address", undefined, "0.0.0.0"],
  ["proxy-mode", ["ipvs", "iptables"], "iptables"],
  ["iptables-localhost-nodeports", undefined, "true"],
  ["oom-score-adj", ["-500"], "-500"],
  ["conntrack-tcp-timeout-established", undefined, "24h0m0s"],
  ["iptables-min-sync-period", ["1500ms"], "1.5s"],
  ["nodeport-addresses", undefined, "[]"],
  ["nodeport-addresses", ["10.0.0.0/8", "::/0"], "[10.0.0.0/8,::/0]"],
  ["feature-gates", undefined, ""],
  ["feature-gates", ["B=true,A=false"], "A=false,B=true"],
  ["vmodule", undefined, ""],
  ["vmodule", ["keeper=4,pass*=2"], "keeper=4,pass*=2"],
  ["master", ["https://admin:secret@10.0.0.1:6443"], "https://10.0.0.1:6443"],
];
for (const [name, given, value] of VALUES) {
  t.test(`--${name}: ${given ?? "not given"}`, async (t) => {
    t.equal(valuesOf(given ? { [name]: given } : {}).get(name), value);
  });
}
