import t from "tap";
import { readRetryAfter, retryAfterDelay } from "../../src/source/retry-after.ts";

const DATE = "Fri, 02 Jan 2026 03:04:05 GMT";

const HEADERS: Readonly<Record<string, readonly [Readonly<Record<string, string>>, number]>> = {
  "not told": [{}, 0],
  seconds: [{ "retry-after": "7" }, 7000],
  "no time at all": [{ "retry-after": "0" }, 0],
  "a date": [{ "retry-after": "Fri, 02 Jan 2026 03:05:05 GMT", date: DATE }, 60_000],
  "a date that is over": [{ "retry-after": "Fri, 02 Jan 2026 03:00:05 GMT", date: DATE }, 0],
  "a date, and none to hold it against": [{ "retry-after": "Fri, 02 Jan 2026 03:05:05 GMT" }, 0],
  neither: [{ "retry-after": "soon", date: DATE }, 0],
};

for (const [name, [headers, wait]] of Object.entries(HEADERS)) {
  t.test(name, (t) => {
    t.equal(readRetryAfter(new Map(Object.entries(headers))), wait);
    t.end();
  });
}

t.test(
  "the wait is as long as asked for, with jitter of at most a tenth and a second, and never above five minutes",
  (t) => {
    const wait = (asked: number, random: number) => retryAfterDelay(asked, { random: () => random });
    t.strictSame([wait(1000, 0), wait(1000, 0.5), wait(1000, 1)], [1000, 1050, 1100]);
    t.strictSame([wait(60_000, 0), wait(60_000, 1)], [60_000, 61_000]);
    t.equal(wait(86_400_000, 1), 301_000);
    t.end();
  },
);
