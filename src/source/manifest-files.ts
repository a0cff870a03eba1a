// Which files do the given paths stand for, and did they change?
import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError } from "../errors.ts";

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
  const found = await Promise.all(paths.map((path) => scanPath(path, { asked: true, above: [] })));
  const files = new Map(found.flatMap((scan) => scan.files).map((file) => [file.path, file]));
  return {
    files: [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    directories: [...new Set(found.flatMap((scan) => scan.directories))],
    unreadable: found.flatMap((scan) => scan.unreadable),
    problems: found.flatMap((scan) => scan.problems),
  };
}

interface Way {
  /** The path was given by the user, not found in a directory. */
  readonly asked: boolean;
  /** Real paths of the directories passed on the way down: a link to one of them would never end. */
  readonly above: readonly string[];
}

async function scanPath(path: string, way: Way): Promise<Scan> {
  try {
    const [facts, real] = await Promise.all([stat(path, { bigint: true }), realpath(path)]);
    if (facts.isDirectory()) return await scanDirectory(path, real, way);
    const directories = way.asked ? [dirname(path), dirname(real)] : [dirname(real)];
    const readable = way.asked || (facts.isFile() && MANIFEST.test(path));
    const stamp = [facts.dev, facts.ino, facts.mtimeNs, facts.ctimeNs, facts.size, real].join(" ");
    return { ...NOTHING, files: readable ? [{ path, stamp }] : [], directories: readable ? directories : [] };
  } catch (error) {
    return describeFailure(path, error, way);
  }
}

const NOTHING: Scan = { files: [], directories: [], unreadable: [], problems: [] };
