// Makes the nfacct counters that are named as arguments, in the namespace that this program runs in.
import { ensureCounter } from "../../src/kernel/nfacct.js";
for (const name of process.argv.slice(2))
    await ensureCounter(name);
