// What do others do to sets, virtual servers and addresses: an operator who tries something, a program that ends?
import fc from "fast-check";
import type { Family } from "../../src/net/family.ts";
import type { IpvsStep } from "../../src/plan/plan.ts";
import type { IpvsState } from "../../src/state/kernel-state.ts";
import { IPVS_DEVICE } from "../../src/state/node-facts.ts";
import type { RealServer, ServerIdentity } from "../../src/state/virtual-server.ts";

type Observed = Extract<IpvsState, { readonly kind: "observed" }>;

/** One edit, chosen by a number; what to do depends on what is there. */
export interface ForeignEdit {
  readonly kind: (typeof KINDS)[number];
  readonly at: number;
}

const KINDS = [
  "add server",
  "change server",
  "remove server",
  "add real",
  "remove real",
  "add entry",
  "remove entry",
  "flush set",
  "bind",
  "unbind",
  "remove device",
] as const;

export const foreignEdits: fc.Arbitrary<ForeignEdit> = fc.record({
  kind: fc.constantFrom(...KINDS),
  at: fc.nat({ max: 9_999 }),
});

/** The steps that make the edit; none where there is nothing to edit. */
export function stepsOfEdit(found: Observed, family: Family, { kind, at }: ForeignEdit): readonly IpvsStep[] {
  const address = family === "IPv4" ? `10.9.0.${1 + (at % 5)}` : `fd00:9::${1 + (at % 5)}`;
  const server = choose(found.servers, at);
  const set = choose(found.sets, at);
  const entry = set && choose([...set.entries], at);
  switch (kind) {
    case "add server":
      return [add({ address, protocol: choose(["TCP", "UDP", "SCTP"] as const, at) ?? "TCP", port: 80 })];
    case "change server":
      return server ? [servers({ kind: "set-server", server: { ...server, scheduler: "mh", persistence: at } })] : [];
    case "remove server":
      return server ? [servers({ kind: "remove-server", server })] : [];
    case "add real":
      return server ? [servers({ kind: "add-real", server, real: { ...REAL, address } })] : [];
    case "remove real": {
      const real = choose(server?.realServers ?? [], at);
      return server && real ? [servers({ kind: "remove-real", server, real })] : [];
    }
    case "add entry":
      return [
        {
          kind: "sets",
          changes: found.sets.map((each) => ({ kind: "add", set: each, entries: [odd(each.type, address)] })),
        },
      ];
    case "remove entry":
      return set && entry !== undefined ? [{ kind: "sets", changes: [{ kind: "remove", set, entries: [entry] }] }] : [];
    case "flush set":
      return set ? [{ kind: "sets", changes: [{ kind: "remove", set, entries: set.entries }] }] : [];
    case "bind":
      return [{ kind: "bind", device: IPVS_DEVICE, addresses: [address] }];
    case "unbind":
      return [{ kind: "unbind", device: IPVS_DEVICE, addresses: found.addresses.slice(at % 3) }];
    case "remove device":
      return [{ kind: "remove-device", name: IPVS_DEVICE }];
  }
}

const REAL: RealServer = { address: "", port: 7070, method: "masquerade", weight: 1 };

function add(server: ServerIdentity): IpvsStep {
  return servers({ kind: "add-server", server: { ...server, scheduler: "rr", schedulerFlags: 0, persistence: 0 } });
}

function servers(...changes: Extract<IpvsStep, { readonly kind: "servers" }>["changes"]): IpvsStep {
  return { kind: "servers", changes };
}

/** An entry that no Service has. */
function odd(type: string, address: string): string {
  const texts: Readonly<Record<string, string>> = {
    "hash:ip": address,
    "hash:ip,port": `${address},tcp:81`,
    "hash:ip,port,ip": `${address},tcp:81,${address}`,
    "hash:ip,port,net": `${address},tcp:81,${address}`,
    "bitmap:port": "81",
  };
  return texts[type] ?? "";
}

function choose<Item>(items: readonly Item[], at: number): Item | undefined {
  return items[at % Math.max(1, items.length)];
}
