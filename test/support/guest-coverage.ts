// Which lines of the source were run in the guest?
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { decode, encode, type SourceMapSegment } from "@jridgewell/sourcemap-codec";

interface SourceMap {
  readonly sources: readonly string[];
  readonly sourcesContent?: readonly unknown[];
  readonly mappings: string;
}

/** What Node leaves at its end in the folder that NODE_V8_COVERAGE names. */
interface ProcessCoverage {
  readonly result: readonly { readonly url: string }[];
  readonly "source-map-cache"?: Readonly<Record<string, { readonly data: SourceMap | null }>>;
}

const SOURCES = new URL("../../src/", import.meta.url).href;

/**
 * What no test on the host can reach: a node proxy that starts in IPVS mode. All else is reached there too, in the text
 * of single modules, whose places are not those of a bundle.
 */
const ONLY_HERE: ReadonlySet<string> = new Set([`${SOURCES}commands/node-proxy.ts`]);

const BUNDLES = new URL("../../.tap/vm/", import.meta.url).href;

/** Where tap collects what its own processes have run. */
const COLLECTION = fileURLToPath(new URL("../../.tap/coverage/", import.meta.url));

/** Does tap want to know? */
export function isCoverageWanted(): boolean {
  return process.env["_TAPJS_PROCESSINFO_COVERAGE_"] === "1";
}

/** Adds what the Node processes of the guest left in this folder to what tap reports at its end. */
export function keepGuestCoverage(folder: string): void {
  mkdirSync(COLLECTION, { recursive: true });
  for (const name of readdirSync(folder)) {
    const coverage: ProcessCoverage = JSON.parse(readFileSync(join(folder, name), "utf8"));
    writeFileSync(join(COLLECTION, `guest-${name}`), JSON.stringify(ownPart(coverage)));
  }
}

function ownPart(coverage: ProcessCoverage): ProcessCoverage {
  const result = coverage.result.filter(({ url }) => url.startsWith(SOURCES) || url.startsWith(BUNDLES));
  const maps = Object.entries(coverage["source-map-cache"] ?? {}).map(([url, { data, ...rest }]) => {
    return [url, { ...rest, data: data !== null && url.startsWith(BUNDLES) ? mapOfSources(data) : data }] as const;
  });
  return { result, "source-map-cache": Object.fromEntries(maps) };
}

// The report knows of a bundle as a whole only, so packages and tests have to go from its map. Texts it reads itself.
function mapOfSources({ sources, mappings, sourcesContent: _, ...rest }: SourceMap): SourceMap {
  const kept = sources.filter((source) => ONLY_HERE.has(source));
  const renumber = (segment: SourceMapSegment): SourceMapSegment[] => {
    const [column, source, ...place] = segment;
    const index = source === undefined ? -1 : kept.indexOf(sources[source] ?? "");
    const [line = 0, original = 0] = place;
    return index < 0 ? [] : [[column, index, line, original]];
  };
  const lines = decode(mappings).map((line) => line.flatMap(renumber));
  return { ...rest, sources: kept, mappings: encode(lines) };
}
