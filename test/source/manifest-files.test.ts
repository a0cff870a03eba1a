import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import t from "tap";
import { scanPaths } from "../../src/source/manifest-files.ts";

async function listFiles(directory: string, ...paths: readonly string[]): Promise<readonly string[]> {
  const { files } = await scanPaths(paths.map((path) => `${directory}${path}`));
  return files.map(({ path }) => path.replace(`${directory}/`, ""));
}

t.test("a directory stands for its manifests, however deep, sorted", async (t) => {
  const directory = t.testdir({
    "b.yaml": "",
    "a.json": "",
    deep: { "c.yml": "", deeper: { "d.yaml": "" }, "README.md": "" },
    "a.yaml.bak": "",
    ".hidden.yaml": "",
    ".git": { "e.yaml": "" },
    "looks-like.yaml": { "f.yaml": "" },
  });
  const wanted = ["a.json", "b.yaml", "deep/c.yml", "deep/deeper/d.yaml", "looks-like.yaml/f.yaml"];
  t.strictSame(await listFiles(directory, ""), wanted);
  t.strictSame(
    await listFiles(directory, "", "/deep", "/b.yaml"),
    ["a.json", "looks-like.yaml/f.yaml", "deep/c.yml", "deep/deeper/d.yaml", "b.yaml"],
    "no file counts twice; one that is given again counts as given last",
  );
});

t.test("names are sorted directory by directory, as kubectl reads them", async (t) => {
  const directory = t.testdir({ a: { "z.yaml": "" }, "a-b.yaml": "", "a.yaml": "" });
  t.strictSame(await listFiles(directory, ""), ["a/z.yaml", "a-b.yaml", "a.yaml"]);
});

t.test("a file that is asked for counts whatever its name", async (t) => {
  const directory = t.testdir({ "services.txt": "", ".hidden": "" });
  t.strictSame(await listFiles(directory, "/services.txt", "/.hidden"), ["services.txt", ".hidden"]);
});

t.test("a mounted ConfigMap counts once, through its visible names", async (t) => {
  const directory = t.testdir({ "..2026_01": { "shop.yaml": "", more: { "deep.yaml": "" } } });
  symlinkSync("..2026_01", `${directory}/..data`);
  symlinkSync("..data/shop.yaml", `${directory}/shop.yaml`);
  symlinkSync("..data/more", `${directory}/more`);
  t.strictSame(await listFiles(directory, ""), ["more/deep.yaml", "shop.yaml"]);
  const { directories } = await scanPaths([directory]);
  t.ok(directories.includes(`${directory}/..2026_01`), "and the place of the real files is worth listening to");
});

t.test("links that lead round, to nowhere or to something else are left out", async (t) => {
  const directory = t.testdir({ deep: {}, "text.txt": "" });
  symlinkSync("..", `${directory}/deep/round`);
  symlinkSync("nowhere", `${directory}/dangling.yaml`);
  symlinkSync("text.txt", `${directory}/text`);
  symlinkSync("/dev/null", `${directory}/device.yaml`);
  t.strictSame(await listFiles(directory, ""), []);
  t.strictSame((await scanPaths([directory])).problems, []);
});

t.test("what cannot be looked at is told, and may still be there", async (t) => {
  const directory = t.testdir({});
  symlinkSync("self.yaml", `${directory}/self.yaml`);
  const { unreadable, problems } = await scanPaths([directory]);
  t.strictSame(unreadable, [`${directory}/self.yaml`]);
  t.strictSame(
    problems.map(({ message }) => message),
    [`${directory}/self.yaml: cannot be read: too many levels of symbolic links`],
  );
});

t.test("a stamp changes with the content, the file and the end of its link, and with nothing else", async (t) => {
  const directory = t.testdir({ "a.yaml": "1", v1: { "x.yaml": "1" }, v2: { "x.yaml": "1" } });
  const stamp = async (path: string) => (await scanPaths([`${directory}/${path}`])).files[0]?.stamp;
  const first = await stamp("a.yaml");
  t.equal(await stamp("a.yaml"), first);
  utimesSync(`${directory}/a.yaml`, 1, 1);
  const second = await stamp("a.yaml");
  t.not(second, first);
  writeFileSync(`${directory}/a.yaml`, "22");
  t.not(await stamp("a.yaml"), second);
  mkdirSync(`${directory}/links`);
  symlinkSync("../v1/x.yaml", `${directory}/links/1`);
  symlinkSync("../v2/x.yaml", `${directory}/links/2`);
  t.not(await stamp("links/1"), await stamp("links/2"));
});
