// What is alike in every mode: the way from templates to rules, and from ServicePorts to fragments?
import type { ServiceTraffic } from "../model/traffic.ts";
import { mapPages, type Page, type PagedList } from "../paged-list.ts";
import type { Chain, Fragment } from "../state/kernel-state.ts";
import { builtInChains, type FillFrom, fillFrom, readTemplates } from "./fill.ts";
import { type Writing, WrittenFragment } from "./fragment.ts";
import type { TemplateTexts } from "./template.ts";

/** The built-in chains that have jumps of ours. */
const BUILT_IN = {
  filter: ["INPUT", "FORWARD", "OUTPUT"],
  nat: ["PREROUTING", "OUTPUT", "POSTROUTING"],
} as const;

export interface ModeParts {
  readonly fill: FillFrom;
  /** The built-in chains of each table, with our jumps. */
  readonly filter: readonly Chain[];
  readonly nat: readonly Chain[];
}

/** Throws RuleSyntaxError for a template that cannot be read. */
export function modePartsOf(texts: TemplateTexts): ModeParts {
  const templates = readTemplates(texts);
  return {
    fill: fillFrom(templates),
    filter: builtInChains(templates, "filter", BUILT_IN.filter),
    nat: builtInChains(templates, "nat", BUILT_IN.nat),
  };
}

/** Fragments of the same settings, as long as what they are made of is there. */
export interface KnownFragments {
  readonly writing: Writing;
  readonly pages: WeakMap<Page<ServiceTraffic>, Page<Fragment>>;
  readonly fragments: WeakMap<ServiceTraffic, Fragment>;
}

export function noFragments(writing: Writing): KnownFragments {
  return { writing, pages: new WeakMap(), fragments: new WeakMap() };
}

/** One for each ServicePort, the same object as before for one that did not change. */
export function fragmentsOf(
  services: PagedList<ServiceTraffic>,
  { writing, pages, fragments }: KnownFragments,
): PagedList<Fragment> {
  const fragmentFor = (traffic: ServiceTraffic): Fragment => {
    const known = fragments.get(traffic);
    if (known) return known;
    const fragment = new WrittenFragment(writing, traffic);
    fragments.set(traffic, fragment);
    return fragment;
  };
  return mapPages(services, pages, (page) => page.map(fragmentFor));
}
