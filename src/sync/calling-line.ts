// Which line is speaking?

/**
 * The line that a running function was called from; undefined where that is in no file. In a build, which is one file,
 * it is a line of that. Costs microseconds: only for what is printed.
 */
export function callingLine(method: (...args: never[]) => unknown): number | undefined {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  Error.captureStackTrace(holder, method);
  Error.stackTraceLimit = limit;
  const [, line] = /[^/]+:(\d+):\d+\)?$/.exec(String(holder.stack)) ?? [];
  return line === undefined ? undefined : Number(line);
}
