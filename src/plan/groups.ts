// To which Service does each difference belong?
import type { Family } from "../net/family.ts";
import { changedLines, type Difference, type Edit, serviceOf } from "./difference.ts";

/** What differs for one Service in one family. */
export interface Group {
  readonly family: Family;
  /** `shop/cart`; undefined for what is there for all, or nobody knows for whom. */
  readonly service: string | undefined;
  readonly differences: readonly Difference[];
}

/**
 * A place that Services share is cut into the lines of each, without those that stay. Groups are by family, first what
 * belongs to no Service, then Services by name; places keep their order.
 */
export function groupLines(differences: readonly Difference[]): readonly Group[] {
  return grouped(differences.flatMap(cut));
}

/** Places stay whole: one that Services share belongs to none of them. */
export function groupPlaces(differences: readonly Difference[]): readonly Group[] {
  return grouped(
    differences.map((difference) => ({ difference, service: only(servicesIn(changedLines(difference))) })),
  );
}

interface Belonging {
  readonly difference: Difference;
  readonly service: string | undefined;
}

function cut(difference: Difference): readonly Belonging[] {
  const edits = changedLines(difference);
  if (edits.length === 0) return [{ difference, service: undefined }];
  const parts = new Map<string | undefined, Edit[]>();
  for (const edit of edits) {
    const service = nameOf(edit.owner);
    const own = parts.get(service) ?? [];
    own.push(edit);
    parts.set(service, own);
  }
  return [...parts].map(([service, own]) => ({ difference: { ...difference, edits: own }, service }));
}

function servicesIn(edits: readonly Edit[]): ReadonlySet<string | undefined> {
  return new Set(edits.map(({ owner }) => nameOf(owner)));
}

function only(services: ReadonlySet<string | undefined>): string | undefined {
  const [first] = services;
  return services.size === 1 ? first : undefined;
}

function nameOf(owner: string | undefined): string | undefined {
  return owner === undefined ? undefined : serviceOf(owner);
}

function grouped(all: readonly Belonging[]): readonly Group[] {
  const groups = new Map<string, { readonly family: Family; service: string | undefined; differences: Difference[] }>();
  for (const { difference, service } of all) {
    const { family } = difference;
    const key = `${family} ${service ?? ""}`;
    const group = groups.get(key) ?? { family, service, differences: [] };
    groups.set(key, group);
    group.differences.push(difference);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}
