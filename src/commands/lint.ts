// `fairlead lint`: checks Services for mistakes and surprises.
import type { Node } from "../api/objects.ts";
import { compareTexts } from "../api/service-name.ts";
import { InputError } from "../errors.ts";
import { lintedClusterOf } from "../lint/cluster.ts";
import { unreadable } from "../lint/input-findings.ts";
import { lint } from "../lint/lint.ts";
import { worldOf } from "../model/world.ts";
import { FAMILIES } from "../net/family.ts";
import { LineFinder } from "../source/line-finder.ts";
import { Tracker } from "../source/tracker.ts";
import type { NodeFacts } from "../state/node-facts.ts";
import { checkSupported } from "./configuration.ts";
import { EXIT, type ExitCode } from "./failure.ts";
import { describeFound, describeSkipped, printCount, requireServices, tellShare } from "./input-objects.ts";
import { chooseNode, factsOf, type InputFlags, withGivenIPs } from "./inputs.ts";
import { type LintObjects, type PlacedFinding, readLintObjects, readLiveObjects } from "./lint-objects.ts";
import { type LintFormat, type LocatedFinding, printFindings } from "./lint-print.ts";
import type { Output } from "./output.ts";

/**
 * Prints all findings. Returns `unusable` if part of the input is invalid, else `problems` if there are findings. Rejects
 * with InputError if the input has no Service.
 */
export async function lintPaths(input: InputFlags, format: LintFormat, output: Output): Promise<ExitCode> {
  checkSupported(input.options, ["iptables", "ipvs"]);
  const read = await readAll(input);
  const { findings, notes } = findAll(read, input);
  const skipped = describeSkipped(read.passedOver, input.strict);
  for (const note of [...read.notes, ...skipped.notes, ...notes]) output.note(note);
  if (input.verbose)
    for (const { place, reason } of read.passedOver) output.note(new InputError(place, reason).message);
  const strict = skipped.problems.map((each) => ({
    ...unreadable(each),
    written: { place: each.place, part: undefined },
  }));
  const all = [...findings, ...strict];
  const isUnreadable = all.some(({ id }) => id === "unreadable");
  const objects = [...read.objects.values()];
  const found = describeFound({ objects, passedOver: read.passedOver }, read.source);
  // The invalid part of the input may contain the Services.
  requireServices({ objects, found }, input.allowEmpty || isUnreadable);
  const services = objects.filter(({ kind }) => kind === "Service").length;
  await output.data(printFindings(locate(all), format, { services, source: read.source }));
  if (format === "github") output.note(`note: checked ${printCount(services, "Service")} in ${read.source}`);
  if (isUnreadable) return EXIT.unusable;
  return findings.length > 0 ? EXIT.problems : EXIT.fine;
}

function readAll({ cluster, paths, progress }: InputFlags): Promise<LintObjects> {
  return cluster ? readLiveObjects(cluster) : readLintObjects(paths, tellShare(progress));
}

interface Found {
  readonly findings: readonly PlacedFinding[];
  readonly notes: readonly string[];
}

function findAll(read: LintObjects, input: InputFlags): Found {
  const objects = [...read.objects.values()];
  input.progress.show(() => `checking ${objects.length} objects`);
  const snapshot = Tracker.snapshotOf(objects);
  const { nodeName, notes } = chooseNode(snapshot, input);
  const node = withGivenIPs(snapshot.nodes.get(nodeName), nodeName, input.nodeIPs);
  const facts = factsOf(input, node);
  const { options } = input;
  const cluster = lintedClusterOf({
    ...{ options, nodeName, objects },
    ...{ manifests: read.manifests, slices: read.slices, unread: read.unread },
    worlds: familiesOf(input, facts).map((family) => worldOf({ snapshot, nodeName, node, options, facts, family })),
    addresses: addressesOf(facts, node),
  });
  const found = [...lint(cluster)].map((each) => ({ ...each, written: read.written.get(each.object) ?? NOWHERE }));
  return { findings: [...read.findings, ...found], notes };
}

const NOWHERE = { place: {}, part: undefined };

function familiesOf({ families }: InputFlags, facts: NodeFacts) {
  return FAMILIES.filter((family) => families.includes(family) && facts.families.includes(family));
}

// Unknown addresses are represented by loopback addresses.
function addressesOf({ addresses }: NodeFacts, node: Node): readonly string[] {
  const known = addresses.map(({ address }) => address);
  return [...new Set([...known, ...node.addresses])].filter((address) => !/^(127\.|::1$)/.test(address));
}

/** Adds file and line, and sorts by them. */
function locate(findings: readonly PlacedFinding[]): readonly LocatedFinding[] {
  const lines = new LineFinder();
  // LineFinder parses a document once if its findings follow one another.
  const ordered = findings.toSorted((a, b) => compareParts(a, b));
  return ordered
    .map(({ written: { place, part }, ...finding }) => ({
      ...finding,
      file: place.source ?? "",
      document: place.document ?? 0,
      line: part ? lines.lineOf(part, finding.field) : 0,
    }))
    .sort((a, b) => compareTexts(a.file, b.file) || a.line - b.line);
}

function compareParts(a: PlacedFinding, b: PlacedFinding): number {
  const [one, other] = [a.written, b.written];
  const files = compareTexts(one.place.source ?? "", other.place.source ?? "");
  return files || (one.part?.start ?? 0) - (other.part?.start ?? 0);
}
