// Sets the time limit of a whole test file.
import t from "tap";

/** A loaded machine takes several times as long; the limit is only there to end a test that hangs. */
const UNDER_LOAD = 4;

/** Longest limit, in milliseconds: just below the one that .taprc sets for a file. */
const MOST = 890_000;

/** `milliseconds`: about twice what the file takes on a quiet machine. */
export function limitTime(milliseconds: number): void {
  const limit = Math.min(UNDER_LOAD * milliseconds, MOST);
  t.setTimeout(limit);
  // The test runner reads this line; the channel by which tap tells it otherwise ends at the sandbox.
  t.comment(`timeout=${limit}`);
}
