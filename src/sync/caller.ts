// Which line of which file is speaking?

/**
 * `keeper.ts:125`: where the function that is running was called from; undefined where that is no file. It is the file
 * that runs, so in a build the name and line are those of the `.js` file. Costs microseconds: only for what is printed.
 */
export function callerOf(method: (...args: never[]) => unknown): string | undefined {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  Error.captureStackTrace(holder, method);
  Error.stackTraceLimit = limit;
  return /([^/]+:\d+):\d+\)?$/.exec(String(holder.stack))?.[1];
}
