// How does a test file ask for more than tap's thirty seconds, from inside a sandbox too?
import t from "tap";
/** Sets the limit of the whole file, in milliseconds. */
export function limitTime(milliseconds) {
    t.setTimeout(milliseconds);
    // What runs the files listens for this line; the channel by which it would be told otherwise ends at the sandbox.
    t.comment(`timeout=${milliseconds}`);
}
