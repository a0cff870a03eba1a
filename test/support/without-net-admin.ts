// What do netlink and nf_tables tell a process that may not administer networks? Prints it as JSON.

import { GenerationWatch } from "../../src/kernel/generation.ts";
import { ensureCounter, hasCounters } from "../../src/kernel/nfacct.ts";
import { FAMILIES } from "../../src/net/family.ts";

const watch = new GenerationWatch();
const moved: boolean[] = [];
for (const family of [...FAMILIES, ...FAMILIES]) moved.push(await watch.moved(family));
const refusal = await ensureCounter("fairlead_test").catch((error: Error) => error.message);
console.log(JSON.stringify({ hasCounters: await hasCounters(), moved, refusal }));
