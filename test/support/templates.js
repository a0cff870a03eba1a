// The backend over the templates of this checkout, as the command line opens it.
import { iptablesBackend } from "../../src/backends/iptables/backend.js";
import { readTemplates } from "../../src/commands/templates.js";
export const TEMPLATES = await readTemplates("iptables");
/** One backend for all tests of a file: it remembers nothing but what is equal. */
export const BACKEND = iptablesBackend(TEMPLATES);
