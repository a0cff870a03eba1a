import t from "tap";
import { FAMILIES } from "../../src/net/family.ts";
import { compare } from "../../src/plan/compare.ts";
import { carriedOut, withoutGaps } from "../../src/state/carried-out.ts";
import { emptyState } from "../../src/state/kernel-state.ts";
import { BACKEND, IPVS_BACKEND } from "../support/templates.ts";
import { wantedClusters } from "../support/wanted.ts";

for (const backend of [BACKEND, IPVS_BACKEND]) {
  t.test(`${backend.mode}: a state that is carried out has nothing left to do`, async (t) => {
    for (const { name, wanted } of await wantedClusters(backend.mode)) {
      for (const family of FAMILIES) {
        const { differences } = compare(wanted(family), carriedOut(wanted(family)), backend.jumps);
        t.strictSame(differences, [], `${name} ${family}`);
      }
    }
  });

  t.test(`${backend.mode}: what nobody told of is taken to be as wanted, all else as found`, async (t) => {
    const [cluster] = await wantedClusters(backend.mode);
    const wanted = cluster?.wanted("IPv4") ?? emptyState("IPv4");
    const nothing = withoutGaps(emptyState("IPv4"), wanted, { told: new Set(), missing: [] });
    t.strictSame(compare(wanted, nothing, backend.jumps).differences, []);
    const found = {
      ...carriedOut(emptyState("IPv4")),
      ipvs: carriedOut({ ...wanted, fragments: emptyState("IPv4").fragments }).ipvs,
    };
    const { ipvs, ...rest } = found;
    const actual = ipvs ? { ...rest, ipvs } : rest;
    const all = new Set(["tables", "sets", "servers", "addresses", "sysctls", "counters"] as const);
    const kinds = compare(
      wanted,
      withoutGaps(actual, wanted, { told: all, missing: [] }),
      backend.jumps,
    ).differences.map(({ place }) => place.kind);
    const expected = backend.mode === "ipvs" ? ["sysctls", "set", "server", "device", "chain"] : ["chain"];
    t.strictSame(
      [...new Set(kinds)].filter((kind) => expected.includes(kind)),
      expected,
    );
  });
}
