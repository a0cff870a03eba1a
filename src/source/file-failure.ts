// Why could a file not be read: did the system say no, or is it a bug?

/** The system's code, such as `EACCES`. What is no error of the system is thrown again. */
export function readCode(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  throw error;
}
