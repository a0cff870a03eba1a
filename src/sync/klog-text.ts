// How is a log record written as the text that kube-proxy writes?

const LETTERS: ReadonlyMap<number, string> = new Map([
  [50, "E"],
  [60, "F"],
  [40, "W"],
]);

const PLUMBING = new Set(["level", "time", "pid", "msg", "at"]);

/** What pino hands on: level, time in milliseconds, pid, message and fields. */
export type LogRecord = Readonly<Record<string, unknown>>;

/** `I1121 08:56:43.409049    1 pass.ts] "message" key="value"`: klog's shape, in local time. */
export function klogText(record: LogRecord): string {
  const { level, time, pid, msg, at } = record;
  const letter = LETTERS.get(Number(level)) ?? "I";
  const fields = Object.entries(record).filter(([key]) => !PLUMBING.has(key));
  const values = fields.map(([key, value]) => ` ${key}=${printValue(value)}`).join("");
  return `${letter}${stamp(new Date(Number(time)))} ${String(pid).padStart(7)} ${at}] ${JSON.stringify(msg)}${values}`;
}

function printValue(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : JSON.stringify(value);
}

function stamp(date: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = two(date.getMonth() + 1) + two(date.getDate());
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${day} ${time}.${String(date.getMilliseconds()).padStart(3, "0")}000`;
}
