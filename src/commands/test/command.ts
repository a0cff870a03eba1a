// Runs the test command: runs the packet cases of files and prints the results.

import { dirname, isAbsolute, join } from "node:path";
import type { Backend } from "../../backends/backend.ts";
import { InputError } from "../../errors.ts";
import { type CaseFile, type CaseMode, readCaseFile } from "../../source/packet-cases.ts";
import { openBackend } from "../backend.ts";
import { checkSupported } from "../configuration.ts";
import { readDumpText } from "../dump-file.ts";
import { EXIT, type ExitCode } from "../failure.ts";
import { requireServices } from "../input-objects.ts";
import type { InputFlags } from "../inputs.ts";
import type { Output } from "../output.ts";
import { orRefusal } from "../refusal.ts";
import { openTraceCluster, podsIn, whyUnknownNode } from "../trace/cluster.ts";
import { printResults, type TestFormat } from "./print.ts";
import {
  type CaseResult,
  type ReadyCase,
  readyCase,
  runCases,
  type TestedFile,
  type UnusableInput,
} from "./run-cases.ts";

interface TestFlags {
  /** Case files. */
  readonly cases: readonly string[];
  readonly format: TestFormat;
  /** Colour is welcome. */
  readonly colour: boolean;
}

const MODES: readonly CaseMode[] = ["iptables", "ipvs"];

/**
 * Runs all cases and prints the results; the answer is the exit code: 0 all passed, 1 some failed, 2 some case file
 * or some of its manifests cannot be used. `input` has the manifests that go with every case file, or a
 * live cluster instead of all manifests. Rejects with InputError.
 */
export async function testPaths(input: InputFlags, flags: TestFlags, output: Output): Promise<ExitCode> {
  checkSupported(input.options, MODES);
  const backends = new Map<CaseMode, Backend>();
  for (const mode of MODES) backends.set(mode, await openBackend({ ...input.options, mode }));
  const results: CaseResult[] = [];
  const unusable: UnusableInput[] = [];
  for (const path of flags.cases) {
    const file = await openFile(path, input, output);
    if (file.problems.length > 0) unusable.push(file);
    if ("cases" in file) results.push(...runCases(file, backends));
  }
  for (const problem of unusable.flatMap(({ problems }) => problems)) output.note(`error: ${problem.message}`);
  for (const warning of new Set(results.flatMap(({ warnings }) => warnings))) output.note(warning);
  await output.data(printResults({ results, unusable }, flags.format, flags.colour));
  if (unusable.length > 0) return EXIT.unusable;
  return results.some(({ problems }) => problems.length > 0) ? EXIT.problems : EXIT.fine;
}

/** With its problems where it cannot be used. */
async function openFile(path: string, input: InputFlags, output: Output): Promise<TestedFile | UnusableInput> {
  try {
    return await readFile(path, input, output);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { path, problems: [error] };
  }
}

async function readFile(path: string, input: InputFlags, output: Output): Promise<TestedFile | UnusableInput> {
  const read = readCaseFile(await readDumpText(path), path);
  const ready = "cases" in read ? readyCases(path, read) : { problems: read };
  if ("problems" in ready) return { path, problems: ready.problems };
  const { file, cases } = ready;
  const paths = input.cluster ? [] : [...file.manifests.map((each) => besides(path, each)), ...input.paths];
  if (!input.cluster && paths.length === 0) {
    throw new InputError({ source: path }, 'no manifests; list them under "manifests" or pass --manifests PATH');
  }
  const pods = podsIn(cases.map(({ request }) => request.from));
  const cluster = await openTraceCluster({ ...input, paths, node: input.node ?? file.node }, pods);
  for (const note of cluster.notes) output.note(note);
  if (input.verbose) for (const passed of cluster.passedOver) output.note(passed);
  const place = input.node === undefined ? { source: path, field: "node" } : { source: "--node" };
  const isNamed = (input.node ?? file.node) !== undefined;
  const unknownNode = isNamed ? whyUnknownNode(cluster) : undefined;
  if (unknownNode !== undefined) return { path, problems: [...cluster.problems, new InputError(place, unknownNode)] };
  const { problems } = cluster;
  if (problems.length > 0 && !input.keepGoing) return { path, problems };
  requireServices(cluster, input.allowEmpty);
  return { path, modes: file.modes, cases, cluster, problems };
}

function besides(path: string, manifest: string): string {
  return isAbsolute(manifest) ? manifest : join(dirname(path), manifest);
}

type Ready =
  | { readonly file: CaseFile; readonly cases: readonly ReadyCase[] }
  | { readonly problems: readonly InputError[] };

function readyCases(path: string, file: CaseFile): Ready {
  const read = file.cases.map((each) => orRefusal(() => readyCase(path, each)));
  const problems = read.flatMap((each) => (each instanceof InputError ? each : []));
  const cases = read.flatMap((each) => (each instanceof InputError ? [] : each));
  return problems.length > 0 ? { problems } : { file, cases };
}
