// What should the kernel hold in iptables mode, in the layout that finds Services by an index?
import type { Backend } from "../backend.ts";
import { iptablesBackend, type Layout } from "../iptables/backend.ts";
import type { TemplateTexts } from "../template.ts";
import { filterChains, natChains } from "./chains/fixed.ts";
import { writingOf } from "./fragment.ts";
import { setsOf } from "./sets.ts";

const INDEXED: Layout = { filterChains, natChains, writingOf, setsOf };

/** The layout over these templates, its own behind those of Compat. Throws RuleSyntaxError for one that cannot be read. */
export function indexedBackend(texts: TemplateTexts): Backend {
  return iptablesBackend(texts, INDEXED);
}
