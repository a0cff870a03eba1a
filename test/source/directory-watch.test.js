import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import t from "tap";
import { DirectoryWatch } from "../../src/source/directory-watch.js";
const never = new AbortController().signal;
const PATIENT = { quiet: 20, poll: 60_000 };
/** Follows the directories, and lets the news that listening itself makes go by. */
async function follow(...directories) {
    const watch = new DirectoryWatch();
    await watch.follow(directories);
    await watch.settle(PATIENT, never);
    return watch;
}
t.test("a file that is written is news, told once it is quiet", async (t) => {
    const directory = t.testdir({});
    const watch = await follow(directory);
    const settled = watch.settle(PATIENT, never);
    const start = performance.now();
    const writing = setInterval(() => writeFileSync(`${directory}/a.yaml`, `${performance.now()}`), 5);
    setTimeout(() => clearInterval(writing), 100);
    await settled;
    t.ok(performance.now() - start >= 100, "not while it was written");
    watch.close();
});
t.test("a directory that never gets quiet is looked at all the same", async (t) => {
    const directory = t.testdir({});
    const watch = await follow(directory);
    const writing = setInterval(() => writeFileSync(`${directory}/log`, `${performance.now()}`), 1);
    await watch.settle(PATIENT, never);
    clearInterval(writing);
    watch.close();
});
t.test("without news it returns when it is time to look", async (t) => {
    const watch = await follow(t.testdir({}));
    await watch.settle({ quiet: 20, poll: 10 }, never);
    watch.close();
});
t.test("it returns when it is told to stop, before or while it waits", async (t) => {
    const watch = await follow(t.testdir({}));
    const stop = new AbortController();
    const settled = watch.settle(PATIENT, stop.signal);
    stop.abort();
    await settled;
    await watch.settle(PATIENT, stop.signal);
    watch.close();
});
t.test("a directory that took another's name is listened to in its place", async (t) => {
    const directory = t.testdir({ now: {}, next: {} });
    const watch = await follow(`${directory}/now`);
    rmSync(`${directory}/now`, { recursive: true });
    renameSync(`${directory}/next`, `${directory}/now`);
    await watch.settle(PATIENT, never);
    await watch.follow([`${directory}/now`]);
    await watch.settle(PATIENT, never);
    const settled = watch.settle(PATIENT, never);
    writeFileSync(`${directory}/now/a.yaml`, "");
    await settled;
    watch.close();
});
t.test("a directory that is not there, or not wanted any more, is let go", async (t) => {
    const directory = t.testdir({ a: {} });
    const watch = await follow(`${directory}/a`);
    await watch.follow([`${directory}/b`]);
    mkdirSync(`${directory}/a/new`);
    mkdirSync(`${directory}/b`);
    await watch.follow([`${directory}/b`]);
    await watch.settle(PATIENT, never);
    const settled = watch.settle(PATIENT, never);
    writeFileSync(`${directory}/b/a.yaml`, "");
    await settled;
    watch.close();
});
