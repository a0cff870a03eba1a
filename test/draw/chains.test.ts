// What do pictures of Services look like?
import { join } from "node:path";
import t from "tap";
import { drawChains } from "../../src/draw/chains.ts";
import { PICTURE_FORMATS } from "../../src/draw/picture.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import { FIXTURES, matchGolden } from "../support/golden.ts";
import { crowdState, fixtureStates, wideState } from "../support/pictured.ts";

const EXTENSIONS = { svg: "svg", mermaid: "mmd", dot: "dot" };

interface Picture {
  readonly states: readonly KernelState[];
  readonly services?: readonly string[];
}

const PICTURES: Readonly<Record<string, readonly KernelState[]>> = {
  "one-endpoint": await fixtureStates("s01-clusterip-one-endpoint"),
  "three-endpoints-on-every-address": [crowdState(3)],
  "no-endpoints": await fixtureStates("s13-all-addresses-no-endpoints"),
  "no-local-endpoints": await fixtureStates("s12-nodeport-local-policy-remote-endpoints"),
  "local-policy-of-forty": [crowdState(40, "iptables", { externalTrafficPolicy: "Local" })],
  "affinity-and-local-policy": await fixtureStates("s24-internal-local-external-cluster-affinity"),
  "source-ranges": await fixtureStates("s18-source-ranges-with-node"),
  "both-families": await fixtureStates("s28-dual-stack-loadbalancer"),
  "health-check-port": await fixtureStates("c43-health-check-nodeport"),
  "thousand-endpoints": [crowdState(1000)],
  "ipvs-affinity": await fixtureStates("v17-affinity-sh"),
  "ipvs-no-endpoints": [crowdState(0, "ipvs")],
  "ipvs-source-ranges": await fixtureStates("v10-source-ranges-with-node"),
  "ipvs-everything": await fixtureStates("v35-ipv6-everything"),
  "ipvs-local-policy-of-thousand": [crowdState(1000, "ipvs", { externalTrafficPolicy: "Local" })],
};

const WIDE = [await wideState()];

/** In the layout with an index, among many others. */
const INDEXED_PICTURES: Readonly<Record<string, Picture>> = {
  "indexed-local-policy": { states: WIDE, services: ["wide/near"] },
  "indexed-forty-endpoints": { states: WIDE, services: ["wide/many"] },
  "indexed-affinity": { states: WIDE, services: ["wide/sticky"] },
  "indexed-no-endpoints": { states: WIDE, services: ["wide/asleep"] },
  "indexed-local-policy-of-thousand": { states: [crowdState(1000, "indexed", { externalTrafficPolicy: "Local" })] },
};

const ALL: Readonly<Record<string, Picture>> = {
  ...Object.fromEntries(Object.entries(PICTURES).map(([name, states]) => [name, { states }])),
  ...INDEXED_PICTURES,
};

for (const [name, { states, services = [] }] of Object.entries(ALL)) {
  t.test(name.replaceAll("-", " "), async (t) => {
    for (const format of PICTURE_FORMATS) {
      const text = [...drawChains(states, services, format)].join("\n");
      matchGolden(t, join(FIXTURES, "draw", `${name}.${EXTENSIONS[format]}`), `${text}\n`);
    }
  });
}

t.test("only the Services that are asked for", async (t) => {
  const states = await fixtureStates("s17-loadbalancer-tcp-and-udp");
  const titles = (...services: readonly string[]) =>
    [...drawChains(states, services, "dot")].flatMap((line) => /^ {4}label="(.*)"/.exec(line)?.[1] ?? []);
  const all = titles();
  t.ok(all.length > 1);
  const [service = "", port = ""] = /^(.*):(.*)\//.exec(all[0] ?? "")?.slice(1) ?? [];
  t.strictSame(titles(service), all, "all ports of it");
  t.strictSame(titles(`${service}:${port}`), all.slice(0, 1), "one port of it");
  t.strictSame(titles(service.slice(0, -1)), [], "no part of a name");
  t.strictSame(titles(service, `${service}:${port}`), all, "none twice");
});
