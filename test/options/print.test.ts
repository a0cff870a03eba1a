// Tests printing a configuration as YAML.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import t from "tap";
import { completeConfig } from "../../src/options/complete.ts";
import { decodeConfig, readConfigText } from "../../src/options/config-file.ts";
import type { GivenFlags } from "../../src/options/flags.ts";
import { configDocument, printConfig } from "../../src/options/print.ts";
import { validateConfig } from "../../src/options/validate.ts";
import type { Texts } from "../../src/options/value-type.ts";

function fixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/config/${name}`, import.meta.url), "utf8");
}

function again(text: string): string {
  return printConfig(decodeConfig(readConfigText(text)).config);
}

for (const name of ["default.yaml", "full.yaml"]) {
  t.test(`${name} is written as it was read`, async (t) => {
    const { config, warnings } = decodeConfig(readConfigText(fixture(name)));
    t.strictSame(warnings, []);
    t.equal(printConfig(config), fixture(name));
  });
}

t.test("full.yaml is valid", async (t) => {
  const { config } = decodeConfig(readConfigText(fixture("full.yaml")));
  t.strictSame(validateConfig(completeConfig(new Map(), config)), []);
});

t.test("--write-config-to writes the platform's defaults too", async (t) => {
  const written = fixture("default.yaml")
    .replace('mode: ""', "mode: iptables")
    .replace('detectLocalMode: ""', "detectLocalMode: ClusterCIDR");
  t.equal(printConfig(completeConfig(new Map([["write-config-to", ["/tmp/config.yaml"]]]))), written);
  t.equal(again(written), written);
});

t.test("our own settings are written only where they are not the default", async (t) => {
  t.notMatch(printConfig(completeConfig(new Map())), /layout|fallback/);
  const ours: GivenFlags = new Map([
    ["iptables-layout", ["Indexed"]],
    ["ipvs-fallback", ["None"]],
  ]);
  const text = printConfig(completeConfig(ours));
  t.match(text, /^iptables:\n {2}layout: Indexed\n/m);
  t.match(text, /^ {2}fallback: None$/m);
});

t.test("ipvs started by flags keeps its least gap of a second in the file", async (t) => {
  const text = printConfig(completeConfig(new Map([["proxy-mode", ["ipvs"]]])));
  t.match(text, "ipvs:\n  excludeCIDRs: null\n  minSyncPeriod: 1s\n");
  t.match(text, "  masqueradeBit: 14\n  minSyncPeriod: 0s\n  syncPeriod: 0s\nipvs:");
  t.equal(again(text), text);
});

t.test("/configz shows the same as data", async (t) => {
  const document = configDocument(completeConfig(new Map()));
  t.equal(document.kind, "KubeProxyConfiguration");
  t.equal(document.apiVersion, "kubeproxy.config.k8s.io/v1alpha1");
  t.strictSame(readConfigText(printConfig(completeConfig(new Map()))).value, document);
});

t.test("what any flags make is the same after it was written and read", async (t) => {
  const seed = 4;
  t.comment(`seed ${seed}`);
  const choices: Readonly<Record<string, readonly string[]>> = {
    "proxy-mode": ["", "iptables", "ipvs", "nftables"],
    "bind-address": ["::", "10.0.0.1"],
    "masquerade-all": ["true", "false"],
    "ipvs-min-sync-period": ["0", "2s"],
    "iptables-min-sync-period": ["5s"],
    "iptables-sync-period": ["90s", "1500ms"],
    "nodeport-addresses": ["", "primary", "10.0.0.0/8,fd00::/8"],
    "conntrack-min": ["0", "7"],
    "kube-api-qps": ["0.25", "50"],
    "healthz-port": ["1"],
    "log-json-info-buffer-size": ["64Ki", "3000"],
    vmodule: ["a*=1,b=2"],
    v: ["9"],
    "feature-gates": ["AllBeta=false,AllAlpha=true"],
    "hostname-override": ["Node", "1", "yes"],
    "iptables-layout": ["Compat", "Indexed"],
    "cluster-cidr": ["fd00::/8", "10.0.0.0/8"],
  };
  const entries = Object.entries(choices).map(([flag, texts]) =>
    fc.option(
      fc.constantFrom(...texts).map((text): readonly [string, Texts] => [flag, [text]]),
      { nil: undefined },
    ),
  );
  fc.assert(
    fc.property(fc.tuple(...entries), (flags) => {
      const given: GivenFlags = new Map(flags.filter((flag) => flag !== undefined));
      const config = completeConfig(given);
      const read = decodeConfig(readConfigText(printConfig(config)));
      t.strictSame(read, { config, warnings: [] });
    }),
    { seed, numRuns: 300 },
  );
});
