// Lists what a dump does not show of a node's kernel state, with the reason and the command whose output supplies it.
// iptables-save leaves out tables that the kernel does not have, and most nodes have no raw, security or mangle table.
// Therefore only the absence of filter and nat, which kube-proxy always creates, counts as missing.
import type { Family } from "../net/family.ts";
import type { Dump } from "./dump.ts";
import type { DumpGap, MissingPart } from "./dump-part.ts";
import type { TableName } from "./kernel-state.ts";

/** What the dumps of one node together do not show of a family. */
export function missingParts(dumps: readonly Dump[], family: Family): readonly MissingPart[] {
  const present = new Set(dumps.flatMap(({ states }) => [...(states.get(family)?.tables.keys() ?? [])]));
  const gaps = dumps.flatMap((dump) => dump.gaps).filter((gap) => (gap.family ?? family) === family);
  const context: Context = { family, present, save: family === "IPv4" ? "iptables" : "ip6tables" };
  return [
    ...gaps.flatMap((gap) => missingByGap(gap, context)),
    ...missingTables(context, new Set(gaps.map(({ table }) => table))),
    ...missingServers(dumps, family),
  ];
}

interface Context {
  readonly family: Family;
  readonly present: ReadonlySet<TableName>;
  readonly save: "iptables" | "ip6tables";
}

function missingByGap({ kind, table }: DumpGap, { family, present, save }: Context): readonly MissingPart[] {
  const name = TABLES_OF_IPTABLES.find((each) => each === table);
  switch (kind) {
    case "truncated": {
      if (name === undefined || present.has(name)) return [];
      const reason = `the ${name} table in the dump is truncated (no COMMIT)`;
      return [
        {
          part: name,
          family,
          reason,
          remedy: `save it again and add the output of "${save}-save -t ${name}" (--rules FILE)`,
        },
      ];
    }
    case "incompatible": {
      if (name === undefined) return [];
      const reason = `the ${name} table in the dump is incomplete: it has chains that only nft lists`;
      const list = `nft list table ${family === "IPv4" ? "ip" : "ip6"} ${name}`;
      return [
        { part: name, family, reason, remedy: `see "${list}"; it cannot be evaluated from iptables-save output` },
      ];
    }
    case "legacy":
    case "nft": {
      const reason = `the rules of ${save}-${kind} are not in the dump`;
      return [{ part: "tables", family, reason, remedy: `add the output of "${save}-${kind}-save" (--rules FILE)` }];
    }
  }
}

const TABLES_OF_IPTABLES: readonly TableName[] = ["filter", "mangle", "nat", "raw", "security"];

function missingTables({ family, present, save }: Context, told: ReadonlySet<string | undefined>) {
  if (present.size === 0 && told.size === 0) {
    const remedy = `add the output of "${save}-save" (--rules FILE)`;
    return [{ part: "tables" as const, family, reason: `no ${family} rules in the dump`, remedy }];
  }
  const absent = (["nat", "filter"] as const).filter((table) => !present.has(table) && !told.has(table));
  return absent.map((part) => {
    return {
      part,
      family,
      reason: `no ${part} table in the dump`,
      remedy: `add the output of "${save}-save -t ${part}" (--rules FILE)`,
    };
  });
}

/**
 * Sets, chains and rules of kube-proxy's IPVS mode, of all versions: chains are there before any rule needs a set. Sets of
 * the Indexed layout (`KUBE-IX-…`) belong to iptables mode.
 */
const IPVS_MODE =
  /^create KUBE-(?!(?:6-)?IX-)|^:KUBE-(?:IPVS-|LOAD-BALANCER |NODE-PORT )|--match-set KUBE-(?!(?:6-)?IX-)/m;

function missingServers(dumps: readonly Dump[], family: Family): readonly MissingPart[] {
  if (dumps.some(({ told }) => told.has("servers"))) return [];
  const isIpvs = dumps.some(
    ({ texts }) => IPVS_MODE.test(texts.sets) || IPVS_MODE.test(texts.tables.get(family) ?? ""),
  );
  if (!isIpvs) return [];
  const reason = "no virtual servers in the dump, although it is of IPVS mode";
  return [{ part: "servers", family, reason, remedy: 'add the output of "ipvsadm -Sn" (--rules FILE)' }];
}
