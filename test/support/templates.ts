// The backends over the templates of this checkout, as the command line opens them.
import { indexedBackend } from "../../src/backends/indexed/backend.ts";
import { iptablesBackend } from "../../src/backends/iptables/backend.ts";
import { ipvsBackend } from "../../src/backends/ipvs/backend.ts";
import { readTemplates } from "../../src/commands/templates.ts";

export const TEMPLATES = await readTemplates("iptables");

export const INDEXED_TEMPLATES = await readTemplates("indexed");

export const IPVS_TEMPLATES = await readTemplates("ipvs");

/** One backend for all tests of a file: it remembers nothing but what is equal. */
export const BACKEND = iptablesBackend(TEMPLATES);

export const INDEXED_BACKEND = indexedBackend(INDEXED_TEMPLATES);

export const IPVS_BACKEND = ipvsBackend(IPVS_TEMPLATES);
