// Finds the files that the given paths stand for.
import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { InputError } from "../errors.ts";
import { failureWords, readCode } from "./file-failure.ts";

/** A file as it was found. */
export interface ManifestFile {
  readonly path: string;
  /** Another text when the file is another one or has other content: inode, times, size and where links lead. */
  readonly stamp: string;
}

/** What the paths stand for at one moment. */
export interface Scan {
  /** The paths as given. */
  readonly paths: readonly string[];
  /** Each once, in the order in which they count: see `inOrder`. */
  readonly files: readonly ManifestFile[];
  /** Every directory in which a change can change the outcome. */
  readonly directories: readonly string[];
  /** Given paths that are missing, and paths that could not be looked at: what was known below them is kept. */
  readonly unreadable: readonly string[];
  readonly problems: readonly InputError[];
}

const MANIFEST = /\.(ya?ml|json)$/;

/**
 * Looks up files by their path, whatever their name, and directories recursively for `*.yaml *.yml *.json`. Names that
 * begin with a dot are left out, as by a shell: editors' swap files, and the hidden halves of a mounted ConfigMap, whose
 * visible names are links into them.
 */
export async function scanPaths(paths: readonly string[]): Promise<Scan> {
  const scan = joinScans(await Promise.all(paths.map((path) => scanPath(path, { asked: true, above: [] }))));
  const files = new Map(scan.files.map((file) => [resolve(file.path), file]));
  return {
    ...scan,
    paths,
    files: inOrder(paths, [...files.values()]),
    directories: [...new Set(scan.directories)],
  };
}

/**
 * Files in the order in which they count, the last one most: by the last of the given paths that leads to them, below
 * one directory in lexical order of the names, as kubectl reads it. Standard input is found by its own name.
 */
export function inOrder<T extends { readonly path: string }>(
  paths: readonly string[],
  files: readonly T[],
): readonly T[] {
  const roots = paths.map((path) => resolve(path));
  const keyed = files.map((file) => {
    const path = resolve(file.path);
    const rank = roots.findLastIndex(
      (root) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep),
    );
    return { file, rank, names: path.split(sep) };
  });
  return keyed.sort((a, b) => a.rank - b.rank || compareNames(a.names, b.names)).map(({ file }) => file);
}

function compareNames(a: readonly string[], b: readonly string[]): number {
  const index = a.findIndex((name, at) => name !== b[at]);
  return (a[index] ?? "") < (b[index] ?? "") ? -1 : 1;
}

/** How a path was reached. */
interface Way {
  /** The path was given by the user, not found in a directory. */
  readonly asked: boolean;
  /** Real paths of the directories passed on the way down: a link to one of them would never end. */
  readonly above: readonly string[];
}

const NOTHING: Scan = { paths: [], files: [], directories: [], unreadable: [], problems: [] };

async function scanPath(path: string, way: Way): Promise<Scan> {
  try {
    const [facts, real] = await Promise.all([stat(path, { bigint: true }), realpath(path)]);
    if (facts.isDirectory()) return await scanDirectory(path, real, way);
    if (!way.asked && !(facts.isFile() && MANIFEST.test(path))) return NOTHING;
    const stamp = [facts.dev, facts.ino, facts.mtimeNs, facts.ctimeNs, facts.size, real].join(" ");
    return { ...NOTHING, files: [{ path, stamp }], directories: [dirname(path), dirname(real)] };
  } catch (error) {
    return describeFailure(path, way.asked, error);
  }
}

async function scanDirectory(path: string, real: string, { asked, above }: Way): Promise<Scan> {
  if (above.includes(real)) return NOTHING;
  const entries = await readdir(path, { withFileTypes: true });
  const worth = entries.filter((entry) => {
    return !entry.name.startsWith(".") && (entry.isDirectory() || entry.isSymbolicLink() || MANIFEST.test(entry.name));
  });
  const below = { asked: false, above: [...above, real] };
  const inside = await Promise.all(worth.map((entry) => scanPath(join(path, entry.name), below)));
  return joinScans([{ ...NOTHING, directories: asked ? [path, dirname(path)] : [path] }, ...inside]);
}

function describeFailure(path: string, asked: boolean, error: unknown): Scan {
  const code = readCode(error);
  const gone = code === "ENOENT" || code === "ENOTDIR";
  if (gone && !asked) return NOTHING;
  const reason = gone ? "no such file or directory" : `cannot be read: ${failureWords(error)}`;
  const problems = [new InputError({ source: path }, reason)];
  return { ...NOTHING, directories: [dirname(path)], unreadable: [path], problems };
}

function joinScans(scans: readonly Scan[]): Scan {
  return {
    ...NOTHING,
    files: scans.flatMap(({ files }) => files),
    directories: scans.flatMap(({ directories }) => directories),
    unreadable: scans.flatMap(({ unreadable }) => unreadable),
    problems: scans.flatMap(({ problems }) => problems),
  };
}
