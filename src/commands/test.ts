// Do packets end where case files say they do?
import { dirname, isAbsolute, join } from "node:path";
import type { Backend } from "../backends/backend.ts";
import { InputError } from "../errors.ts";
import { type CaseFile, type CaseMode, readCaseFile } from "../source/packet-cases.ts";
import { openBackend } from "./backend.ts";
import { checkSupported } from "./configuration.ts";
import { readDumpText } from "./dump-file.ts";
import { wrongUsage } from "./failure.ts";
import type { InputFlags } from "./inputs.ts";
import type { Output } from "./output.ts";
import { orRefusal } from "./refusal.ts";
import { printResults, type TestFormat } from "./test-print.ts";
import { type CaseResult, type ReadyCase, readyCase, runCases, type TestedFile } from "./test-run.ts";
import { openTraceCluster } from "./trace-cluster.ts";
import { podsIn } from "./trace-pods.ts";

export interface TestFlags {
  /** Case files. */
  readonly cases: readonly string[];
  readonly format: TestFormat;
  /** Colour is welcome. */
  readonly colour: boolean;
}

const MODES: readonly CaseMode[] = ["iptables", "ipvs"];

/**
 * Runs all cases and prints what came of them; the answer is the exit code: 0 all passed, 1 some failed, 2 some case
 * file or manifest could not be used. `input` has the manifests that go with every case file, or a live cluster
 * in place of all manifests. Rejects with InputError.
 */
export async function testPaths(input: InputFlags, flags: TestFlags, output: Output): Promise<0 | 1 | 2> {
  checkSupported(input.options, MODES);
  const backends = new Map<CaseMode, Backend>();
  for (const mode of MODES) backends.set(mode, await openBackend({ ...input.options, mode }));
  const results: CaseResult[] = [];
  let complete = true;
  for (const path of flags.cases) {
    const file = await openFile(path, input, output);
    if (file) results.push(...runCases(file, backends));
    complete &&= file !== undefined && file.cluster.problems.length === 0;
  }
  for (const warning of new Set(results.flatMap(({ warnings }) => warnings))) output.note(warning);
  if (results.length > 0) await output.data(printResults(results, flags.format, flags.colour));
  if (!complete) return 2;
  return results.some(({ problems }) => problems.length > 0) ? 1 : 0;
}

/** Undefined where it cannot be used, which was told then. */
async function openFile(path: string, input: InputFlags, output: Output): Promise<TestedFile | undefined> {
  const read = readCaseFile(await readDumpText(path), path);
  const ready = "cases" in read ? readyCases(path, read) : { problems: read };
  if ("problems" in ready) {
    for (const problem of ready.problems) output.note(`error: ${problem.message}`);
    return undefined;
  }
  const { file, cases } = ready;
  const paths = input.cluster ? [] : [...file.manifests.map((each) => besides(path, each)), ...input.paths];
  if (!input.cluster && paths.length === 0) throw wrongUsage(`${path} names no manifests: say --manifests`);
  const pods = podsIn(cases.map(({ asked }) => asked.from));
  const cluster = await openTraceCluster({ ...input, paths, node: input.node ?? file.node }, pods);
  for (const note of cluster.notes) output.note(note);
  if (input.verbose) for (const passed of cluster.passedOver) output.note(passed);
  for (const problem of cluster.problems) output.note(`error: ${problem.message}`);
  return { path, modes: file.modes, cases, cluster };
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
