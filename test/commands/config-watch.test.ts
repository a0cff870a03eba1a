import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { type ConfigNews, watchConfig } from "../../src/commands/config-watch.ts";

const TEXT = "mode: iptables\n";

/** A ConfigMap as kubelet mounts it: the file is a link through `..data` to the version of the day. */
function mount(t: Test) {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "..1"));
  writeFileSync(join(folder, "..1/config.conf"), TEXT);
  symlinkSync("..1", join(folder, "..data"));
  symlinkSync("..data/config.conf", join(folder, "config.conf"));
  return { folder, path: join(folder, "config.conf"), target: join(folder, "..1/config.conf") };
}

type Place = ReturnType<typeof mount>;

const EVENTS: readonly [name: string, happens: (place: Place) => void, news: readonly ConfigNews[]][] = [
  ["nothing", () => {}, []],
  ["written", ({ path }) => writeFileSync(path, "mode: ipvs\n"), ["updated"]],
  ["appended to", ({ path }) => appendFileSync(path, "# more\n"), ["updated"]],
  ["moved away", ({ target, folder }) => renameSync(target, join(folder, "old")), ["updated"]],
  ["touched", ({ path }) => utimesSync(path, new Date(), new Date()), []],
  ["given other rights", ({ path }) => chmodSync(path, 0o600), []],
  ["removed", ({ target }) => unlinkSync(target), ["replaced"]],
  [
    "replaced by a rename",
    ({ target, folder }) => {
      writeFileSync(join(folder, "next"), "mode: ipvs\n");
      renameSync(join(folder, "next"), target);
    },
    ["replaced"],
  ],
  [
    "replaced by the ConfigMap's next version",
    ({ folder }) => {
      mkdirSync(join(folder, "..2"));
      writeFileSync(join(folder, "..2/config.conf"), "mode: ipvs\n");
      symlinkSync("..2", join(folder, "..next"));
      renameSync(join(folder, "..next"), join(folder, "..data"));
      rmSync(join(folder, "..1"), { recursive: true });
    },
    ["replaced"],
  ],
  ["another file beside it", ({ folder }) => writeFileSync(join(folder, "other"), ""), []],
];

for (const [name, happens, news] of EVENTS) {
  t.test(`${name}: ${news.join() || "no news"}`, async (t) => {
    const place = mount(t);
    const stop = new AbortController();
    const seen: ConfigNews[] = [];
    const watching = (async () => {
      for await (const each of watchConfig({ path: place.path, text: TEXT }, stop.signal)) seen.push(each);
    })();
    await new Promise((done) => setTimeout(done, 50));
    happens(place);
    await new Promise((done) => setTimeout(done, 150));
    stop.abort();
    await watching;
    t.strictSame([...new Set(seen)], news);
  });
}

t.test("what happened between the reading and the watching is not missed", async (t) => {
  const { path } = mount(t);
  const watching = watchConfig({ path, text: "mode: nftables\n" }, new AbortController().signal);
  t.equal((await watching.next()).value, "updated");
  await watching.return(undefined);
});

t.test("a file that cannot be watched ends the daemon", async (t) => {
  const watching = watchConfig({ path: "/nowhere", text: "" }, new AbortController().signal);
  await t.rejects(watching.next(), {
    name: "FatalError",
    message: /cannot watch the configuration file \/nowhere: .*ENOENT/,
  });
});
