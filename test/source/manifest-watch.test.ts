import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import t, { type Test } from "tap";
import { printIdentity, printObject } from "../../src/api/object-name.ts";
import { watchManifests } from "../../src/source/manifest-watch.ts";
import type { Batch, Change } from "../../src/source/source.ts";

const QUICK = { quiet: 25, poll: 60_000 };

function service(name: string, port: number | string): string {
  return `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}}\nspec: {ports: [{port: ${port}}]}\n---\n`;
}

/** `set Service default/web 80`, `delete Service default/web`; completeness is left out. */
function print(changes: readonly Change[]): readonly string[] {
  return changes.flatMap((change) => {
    if (change.type === "complete") return [];
    if (change.type === "delete") return [`delete ${printIdentity(change.identity)}`];
    const port = change.object.kind === "Service" ? change.object.ports[0]?.port : "";
    return [`set ${printObject(change.object)} ${port}`];
  });
}

interface Follower {
  /** What could not be read when the files were last looked at. */
  unreadable(): readonly string[];
  /** The next batch: its changes, then its problems without the directory. */
  next(): Promise<readonly string[]>;
}

/** Watches until the test ends; a batch that does not come fails the test by time. */
function follow(t: Test, directory: string, paths: readonly string[] = [directory], patience = QUICK): Follower {
  const stop = new AbortController();
  let unreadable: readonly string[] = [];
  const sawUnreadable = (problems: readonly Error[]) => {
    unreadable = problems.map(({ message }) => message.replaceAll(`${directory}/`, ""));
  };
  const batches = watchManifests(paths, stop.signal, sawUnreadable, patience);
  t.teardown(async () => {
    stop.abort();
    for await (const _ of batches);
  });
  return {
    unreadable: () => unreadable,
    next: async () => {
      const { value } = await batches.next();
      if (!value) throw new Error("the source has ended");
      return describe(value, directory);
    },
  };
}

function describe({ changes, problems, passedOver }: Batch, directory: string): readonly string[] {
  const told = [...problems.map(({ message }) => message), ...passedOver.map(({ reason }) => reason)];
  return [...print(changes), ...told.map((text) => text.replaceAll(`${directory}/`, ""))];
}

t.test("the first batch is the whole and completes every kind", async (t) => {
  const directory = t.testdir({ "a.yaml": service("web", 80), deep: { "b.yaml": service("api", 81) } });
  const stop = new AbortController();
  for await (const { changes, problems, passedOver } of watchManifests([directory], stop.signal, () => {})) {
    t.strictSame(print(changes), ["set Service default/web 80", "set Service default/api 81"]);
    t.strictSame(
      changes.flatMap((change) => (change.type === "complete" ? [change.kind] : [])),
      ["Service", "EndpointSlice", "Endpoints", "Node", "Pod"],
    );
    t.strictSame([problems, passedOver], [[], []]);
    stop.abort();
  }
});

t.test("an empty directory is complete too", async (t) => {
  const directory = t.testdir({});
  t.strictSame(await follow(t, directory).next(), []);
});

t.test("files that appear, change, move and vanish", async (t) => {
  const directory = t.testdir({ "a.yaml": service("web", 80) });
  const follower = follow(t, directory);
  await follower.next();
  writeFileSync(`${directory}/b.yaml`, service("api", 81));
  t.strictSame(await follower.next(), ["set Service default/api 81"]);
  writeFileSync(`${directory}/a.yaml`, service("web", 82));
  t.strictSame(await follower.next(), ["set Service default/web 82"]);
  rmSync(`${directory}/b.yaml`);
  t.strictSame(await follower.next(), ["delete Service default/api"]);
  mkdirSync(`${directory}/deep/deeper`, { recursive: true });
  writeFileSync(`${directory}/deep/deeper/c.yaml`, service("cart", 83));
  t.strictSame(await follower.next(), ["set Service default/cart 83"]);
  writeFileSync(`${directory}/deep/deeper/c.yaml`, service("cart", 84));
  t.strictSame(await follower.next(), ["set Service default/cart 84"], "new directories are listened to");
});

t.test("a file put in place of another in one step", async (t) => {
  const directory = t.testdir({ "a.yaml": service("web", 80) });
  const follower = follow(t, directory);
  await follower.next();
  writeFileSync(`${directory}/.a.yaml.new`, service("web", 81));
  renameSync(`${directory}/.a.yaml.new`, `${directory}/a.yaml`);
  t.strictSame(await follower.next(), ["set Service default/web 81"]);
});

t.test("a mounted ConfigMap that gets a new version", async (t) => {
  const directory = t.testdir({
    "..1": { "a.yaml": service("web", 80) },
    "..2": { "a.yaml": service("web", 81) },
  });
  symlinkSync("..1", `${directory}/..data`);
  symlinkSync("..data/a.yaml", `${directory}/a.yaml`);
  const follower = follow(t, directory);
  t.strictSame(await follower.next(), ["set Service default/web 80"]);
  symlinkSync("..2", `${directory}/..data_tmp`);
  renameSync(`${directory}/..data_tmp`, `${directory}/..data`);
  rmSync(`${directory}/..1`, { recursive: true });
  t.strictSame(await follower.next(), ["set Service default/web 81"]);
});

t.test("a file that is half written says nothing until it is whole", async (t) => {
  const directory = t.testdir({ "a.yaml": service("web", 80) + service("api", 81) });
  const follower = follow(t, directory);
  await follower.next();
  writeFileSync(`${directory}/a.yaml`, `${service("web", 82)}kind: {Serv`);
  t.strictSame(
    await follower.next(),
    [
      "set Service default/web 82",
      "a.yaml: document 2: invalid YAML: line 6, column 12: wrong indentation, or a bracket that is not closed",
    ],
    "what can be read counts, what cannot stays as it was",
  );
  writeFileSync(`${directory}/a.yaml`, service("web", 82));
  t.strictSame(await follower.next(), ["delete Service default/api"], "whole again: what is not there is gone");
  truncateSync(`${directory}/a.yaml`);
  writeFileSync(`${directory}/a.yaml`, service("web", 83));
  t.strictSame(await follower.next(), ["set Service default/web 83"], "cut to nothing and written at once: no gap");
});

t.test("an object that is refused keeps its last good version, and that is told once", async (t) => {
  const directory = t.testdir({ "a.yaml": service("web", 80) });
  const follower = follow(t, directory);
  await follower.next();
  const complaint = 'a.yaml: document 1: Service default/web: spec.ports[0].port: must be a number, not "high"';
  writeFileSync(`${directory}/a.yaml`, service("web", "high") + service("api", 81));
  t.strictSame(await follower.next(), ["set Service default/api 81", complaint]);
  writeFileSync(`${directory}/a.yaml`, service("web", "high") + service("api", 82));
  t.strictSame(await follower.next(), ["set Service default/api 82"]);
  writeFileSync(`${directory}/a.yaml`, service("web", 83) + service("api", 82));
  t.strictSame(await follower.next(), ["set Service default/web 83"]);
  writeFileSync(`${directory}/a.yaml`, service("web", "high"));
  t.strictSame(
    await follower.next(),
    ["delete Service default/api", complaint],
    "a fault that comes back is told again",
  );
  rmSync(`${directory}/a.yaml`);
  t.strictSame(await follower.next(), ["delete Service default/web"], "with its file it goes");
});

t.test("of an object in two files the later counts, as long as it is there", async (t) => {
  const directory = t.testdir({ "a.yaml": service("web", 80), "b.yaml": service("web", 81) });
  const follower = follow(t, directory);
  t.strictSame(await follower.next(), [
    "set Service default/web 81",
    "defined again in b.yaml, document 1, which is used",
  ]);
  rmSync(`${directory}/b.yaml`);
  t.strictSame(await follower.next(), ["set Service default/web 80"]);
});

t.test("a path that is missing at the start is an error that names it", async (t) => {
  const directory = t.testdir({ "a.yaml": service("web", 80) });
  const paths = [`${directory}/a.yaml`, `${directory}/b.yaml`, `${directory}/c`];
  const batches = watchManifests(paths, new AbortController().signal, () => {});
  await t.rejects(batches.next(), {
    name: "InputError",
    message: `--manifests: ${directory}/b.yaml: no such file or directory; ${directory}/c: no such file or directory`,
  });
});

t.test("manifests of which nothing can be read at the start are an error", async (t) => {
  const files = Object.fromEntries(["a", "b", "c", "d", "e", "f", "g"].map((name) => [`${name}.yaml`, "kind: {Serv"]));
  const batches = watchManifests([t.testdir(files)], new AbortController().signal, () => {});
  await t.rejects(batches.next(), { message: /^--manifests: .*a\.yaml: document 1: invalid YAML.*; 2 more problems$/ });
});

t.test("a file that cannot be parsed at the start costs only itself, beside others that can", async (t) => {
  const directory = t.testdir({ "a.yaml": service("web", 80), "b.yaml": "kind: {Serv" });
  const follower = follow(t, directory);
  const [first, complaint] = await follower.next();
  t.equal(first, "set Service default/web 80");
  t.match(complaint, /^b\.yaml: document 1: invalid YAML/);
  t.strictSame(follower.unreadable(), [complaint]);
});

t.test("a given file that vanishes keeps its last state until it is back", async (t) => {
  const directory = t.testdir({ "a.yaml": service("web", 80) });
  const follower = follow(t, directory, [`${directory}/a.yaml`]);
  t.strictSame(await follower.next(), ["set Service default/web 80"]);
  t.strictSame(follower.unreadable(), []);
  rmSync(`${directory}/a.yaml`);
  t.strictSame(await follower.next(), ["a.yaml: no such file or directory"], "nothing is deleted");
  t.strictSame(follower.unreadable(), ["a.yaml: no such file or directory"]);
  writeFileSync(`${directory}/a.yaml`, service("web", 81));
  t.strictSame(await follower.next(), ["set Service default/web 81"]);
  t.strictSame(follower.unreadable(), []);
});

t.test("a given directory that vanishes keeps its last state, links in its place too", async (t) => {
  const directory = t.testdir({ deep: { "a.yaml": service("web", 80), deeper: { "b.yaml": service("api", 81) } } });
  const follower = follow(t, directory, [`${directory}/deep/`]);
  await follower.next();
  renameSync(`${directory}/deep`, `${directory}/away`);
  t.strictSame(await follower.next(), ["deep/: no such file or directory"], "nothing is deleted");
  symlinkSync("deep", `${directory}/deep`);
  t.strictSame(await follower.next(), ["deep/: cannot be read: too many levels of symbolic links"]);
  rmSync(`${directory}/deep`);
  await follower.next();
  rmSync(`${directory}/away/a.yaml`);
  renameSync(`${directory}/away`, `${directory}/deep`);
  t.strictSame(await follower.next(), ["delete Service default/web"], "back, and less");
  t.strictSame(follower.unreadable(), []);
});

t.test("a file that cannot be parsed any more is unreadable, an invalid object is not", async (t) => {
  const directory = t.testdir({ "a.yaml": service("web", 80) });
  const follower = follow(t, directory);
  await follower.next();
  writeFileSync(`${directory}/a.yaml`, service("web", "high"));
  await follower.next();
  t.strictSame(follower.unreadable(), []);
  writeFileSync(`${directory}/a.yaml`, "kind: {Serv");
  await follower.next();
  t.match(follower.unreadable(), [/^a\.yaml: document 1: invalid YAML/]);
});

t.test("a file that the system does not let us read is tried again", async (t) => {
  const directory = t.testdir({ "a.yaml": service("web", 80) });
  const follower = follow(t, directory, [`${directory}/a.yaml`], { quiet: 25, poll: 50 });
  await follower.next();
  rmSync(`${directory}/a.yaml`);
  symlinkSync("/proc/self/mem", `${directory}/a.yaml`);
  t.strictSame(await follower.next(), ["a.yaml: cannot be read: input/output error"]);
  rmSync(`${directory}/a.yaml`);
  writeFileSync(`${directory}/a.yaml`, service("web", 81));
  t.strictSame(await follower.next(), ["set Service default/web 81"]);
});

t.test("where nobody tells of changes, looking now and then finds them", async (t) => {
  const directory = t.testdir({ real: { deep: { "a.yaml": service("web", 80) } }, seen: {} });
  symlinkSync("../real/deep", `${directory}/seen/link`);
  const follower = follow(t, directory, [`${directory}/seen`], { quiet: 25, poll: 50 });
  await follower.next();
  renameSync(`${directory}/real`, `${directory}/away`);
  mkdirSync(`${directory}/real/deep`, { recursive: true });
  writeFileSync(`${directory}/real/deep/a.yaml`, service("web", 81));
  t.strictSame(await follower.next(), ["set Service default/web 81"]);
});

t.test("standard input cannot be watched", async (t) => {
  const batches = watchManifests(["-"], new AbortController().signal, () => {});
  await t.rejects(batches.next(), { message: "-: standard input cannot be watched" });
});
