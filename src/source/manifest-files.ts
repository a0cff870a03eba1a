// Which files do the given paths stand for, and did they change?
import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
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
  /** Sorted by path, each once. */
  readonly files: readonly ManifestFile[];
  /** Every directory in which a change can change the outcome. */
  readonly directories: readonly string[];
  /** Paths that could not be looked at; what was known below them may still be true. */
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
  const files = new Map(scan.files.map((file) => [file.path, file]));
  return {
    ...scan,
    files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    directories: [...new Set(scan.directories)],
  };
}

interface Way {
  /** The path was given by the user, not found in a directory. */
  readonly asked: boolean;
  /** Real paths of the directories passed on the way down: a link to one of them would never end. */
  readonly above: readonly string[];
}

const NOTHING: Scan = { files: [], directories: [], unreadable: [], problems: [] };

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
  return { files: [], directories: [dirname(path)], unreadable: gone ? [] : [path], problems };
}

function joinScans(scans: readonly Scan[]): Scan {
  return {
    files: scans.flatMap(({ files }) => files),
    directories: scans.flatMap(({ directories }) => directories),
    unreadable: scans.flatMap(({ unreadable }) => unreadable),
    problems: scans.flatMap(({ problems }) => problems),
  };
}
