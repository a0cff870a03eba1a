// What of all ServicePorts together do the rules depend on?
import type { ServiceTraffic } from "../../model/traffic.ts";
import { mapPages, type Page, type PagedList } from "../../paged-list.ts";
import { byPlace, type ClosedPort, closedPorts } from "./chains/kube-ipvs-out-filter.ts";
import { entriesOf } from "./entries.ts";
import type { NodeSide } from "./node-side.ts";
import type { SetRole } from "./sets.ts";

export interface Summary {
  /** Sets that have an entry; the one of bound addresses is not told of. */
  readonly filled: ReadonlySet<SetRole>;
  /** Sorted by address, protocol and port; twice where two ServicePorts have the same. */
  readonly closed: readonly ClosedPort[];
}

/** What was worked out of pages, valid for one NodeSide. */
export type KnownSummaries = WeakMap<Page<ServiceTraffic>, Page<Summary>>;

/** Pages that are known are not looked into. */
export function summaryOf(services: PagedList<ServiceTraffic>, node: NodeSide, known: KnownSummaries): Summary {
  const parts = [...mapPages(services, known, (page) => [summaryOfPage(page, node)])];
  return {
    filled: new Set(parts.flatMap(({ filled }) => [...filled])),
    closed: parts.flatMap(({ closed }) => closed).sort(byPlace),
  };
}

function summaryOfPage(page: Page<ServiceTraffic>, node: NodeSide): Summary {
  return {
    filled: new Set(page.flatMap((traffic) => entriesOf(traffic, node).map(({ role }) => role))),
    closed: page.flatMap((traffic) => closedPorts(traffic, node.nodeIP)),
  };
}
