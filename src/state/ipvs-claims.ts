// Keys of entries, servers and addresses, and which Service ports claim them.
import { countWhile, type Page, type PagedList } from "../paged-list.ts";
import type { SetEntry } from "./ip-set.ts";
import type { Fragment, IpvsShare } from "./kernel-state.ts";
import { printIdentity, type RealServer, type ServerIdentity, type VirtualServer } from "./virtual-server.ts";

// Keys of things: a server's and an address's are told apart by the protocol, an entry's by the blank.

export function entryKey({ set, entry }: SetEntry): string {
  return `${set} ${entry}`;
}

export function serverKey(server: ServerIdentity): string {
  return printIdentity(server);
}

export function realKey(server: ServerIdentity, { address, port }: Pick<RealServer, "address" | "port">): string {
  return `${printIdentity(server)}${REAL}${address} ${port}`;
}

/** Between a virtual server and one of its real servers. */
const REAL = " to ";

/**
 * Digests of keys, worked out once for each fragment, and in order for each page: a change then costs a look at every
 * page, and not at every fragment. The keys themselves would take more memory than all else of a large cluster.
 */
const DIGESTS = new WeakMap<Fragment, readonly number[]>();
const CLAIMED = new WeakMap<Page<Fragment>, Int32Array>();

/** A fragment's share. The first time it is written out its claims are noted. */
export function shareOf(fragment: Fragment): IpvsShare | undefined {
  const share = fragment.ipvs();
  if (share && !DIGESTS.has(fragment)) DIGESTS.set(fragment, keysOf(share).map(digestOf));
  return share;
}

/** Those of the keys whose entry, server or address any fragment wants. */
export function claimedIn(fragments: PagedList<Fragment>, keys: readonly string[]): ReadonlySet<string> {
  const claimed = new Set<string>();
  if (keys.length === 0) return claimed;
  const wanted = new Set(keys);
  for (const fragment of claiming(fragments, wanted)) {
    for (const key of keysIn(fragment)) if (wanted.has(key)) claimed.add(key);
  }
  return claimed;
}

/** Fragments that may claim one of the keys, in order. */
function* claiming(fragments: PagedList<Fragment>, keys: ReadonlySet<string> | ReadonlyMap<string, unknown>) {
  const digests = Int32Array.from(keys.keys(), digestOf).sort();
  for (const page of fragments.pages) {
    const common = new Set(inBoth(claimsOn(page), digests));
    if (common.size === 0) continue;
    yield* page.filter((fragment) => digestsOf(fragment).some((digest) => common.has(digest)));
  }
}

/** The virtual server that is wanted there: of several the last one. */
export function serverAt(fragments: PagedList<Fragment>, key: string): VirtualServer | undefined {
  const digest = digestOf(key);
  for (const page of [...fragments.pages].reverse()) {
    if (!isIn(claimsOn(page), digest)) continue;
    const servers = page.flatMap((fragment) => fragment.ipvs()?.servers ?? []);
    const last = servers.findLast((server) => serverKey(server) === key);
    if (last) return last;
  }
  return undefined;
}

/** The last fragment that claims each of these keys, and of a real server the last that claims its virtual server. */
export function claimantsIn(fragments: PagedList<Fragment>, keys: readonly string[]): ReadonlyMap<string, Fragment> {
  const claimants = new Map<string, Fragment>();
  const asked = new Map<string, string[]>();
  for (const key of keys) asked.set(claimOf(key), [...(asked.get(claimOf(key)) ?? []), key]);
  for (const fragment of claiming(fragments, asked)) {
    for (const claim of keysIn(fragment)) for (const key of asked.get(claim) ?? []) claimants.set(key, fragment);
  }
  return claimants;
}

/**
 * What is desired under each of these keys, as a text that differs where that does. Keys under which nothing is desired
 * are missing.
 */
export function desiredUnder(fragments: PagedList<Fragment>, keys: readonly string[]): ReadonlyMap<string, string> {
  const desired = new Map<string, string>();
  const claimed = claimedIn(fragments, keys.map(claimOf));
  for (const key of keys) {
    const claim = claimOf(key);
    if (!claimed.has(claim)) continue;
    const server = SERVER.test(claim) ? serverAt(fragments, claim) : undefined;
    if (key === claim) desired.set(key, server ? settingsText(server) : "");
    else if (server?.realServers.some((real) => realKey(server, real) === key)) desired.set(key, "");
  }
  return desired;
}

const SERVER = /^\S+\/[A-Z]+$/;

function settingsText({ scheduler, schedulerFlags, persistence }: VirtualServer): string {
  return [scheduler, schedulerFlags, persistence].join(" ");
}

/** The key that fragments claim: of a real server that of its virtual server, else the key itself. */
function claimOf(key: string): string {
  const [server = key, real] = key.split(REAL, 2);
  return real === undefined ? key : server;
}

/** All keys of a share but those of its real servers. */
export function keysOf({ entries, servers, addresses }: IpvsShare): readonly string[] {
  return [...entries.map(entryKey), ...servers.map(serverKey), ...addresses];
}

/** In order. What is not among them is claimed by nobody on the page. */
function claimsOn(page: Page<Fragment>): Int32Array {
  const claims = CLAIMED.get(page) ?? Int32Array.from(page.flatMap(digestsOf)).sort();
  CLAIMED.set(page, claims);
  return claims;
}

/** Of two lists in order: however long one is, a short other one makes it little work. */
function inBoth(a: Int32Array, b: Int32Array): Int32Array {
  const [few, many] = a.length < b.length ? [a, b] : [b, a];
  return few.filter((digest) => isIn(many, digest));
}

function isIn(sorted: Int32Array, digest: number): boolean {
  return sorted[countWhile(sorted, (each) => each < digest)] === digest;
}

function digestsOf(fragment: Fragment): readonly number[] {
  if (!DIGESTS.has(fragment)) shareOf(fragment);
  return DIGESTS.get(fragment) ?? [];
}

function keysIn(fragment: Fragment): readonly string[] {
  return keysOf(shareOf(fragment) ?? NOTHING);
}

/** FNV-1a, of which as many bits as V8 keeps without an object. Two keys may have the same. */
function digestOf(key: string): number {
  let digest = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) digest = Math.imul(digest ^ key.charCodeAt(at), 0x01000193);
  return digest & 0x3fffffff;
}

const NOTHING: IpvsShare = { entries: [], servers: [], addresses: [], rules: [] };
