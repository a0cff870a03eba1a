// Says why a file could not be read, in words.
import { getSystemErrorMap } from "node:util";

/** The system's code, such as `EACCES`. An error that the system did not report is a bug and thrown again. */
export function readCode(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  throw error;
}

/** Shorter or plainer than the system's own words. */
const WORDS: Readonly<Record<string, string>> = {
  EISDIR: "is a directory",
  ENOTDIR: "no such file or directory",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "too many levels of symbolic links",
  EIO: "input/output error",
  ENOSPC: "no space left on device",
  ERR_FS_FILE_TOO_LARGE: "the file is too large",
  ERR_STRING_TOO_LONG: "the file is too large",
};

/** The cause in the system's words, such as `permission denied`. Throws what the system did not report. */
export function failureWords(error: unknown): string {
  const code = readCode(error);
  const known = [...getSystemErrorMap().values()].find(([name]) => name === code)?.[1];
  return WORDS[code] ?? known ?? "the system reported an unknown error";
}
