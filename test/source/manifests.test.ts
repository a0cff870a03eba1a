// Checks how files, directories and standard input are read and merged.
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { parse, stringify } from "yaml";
import { printObject } from "../../src/api/object-name.ts";
import { readManifests } from "../../src/source/manifests.ts";

const FIXTURES = fileURLToPath(new URL("../../fixtures/manifests", import.meta.url));
const SERVICE = (name: string, port: number) => `
apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec: {ports: [{port: ${port}}]}
---
`;

/** Messages with the paths as they are inside of a directory. */
function messages(problems: readonly Error[], directory: string): readonly string[] {
  return problems.map(({ message }) => message.replaceAll(`${directory}/`, ""));
}

t.test("a directory of every kind, in YAML and JSON, is read as the files beside it say", async (t) => {
  const { objects, problems, passedOver } = await readManifests([`${FIXTURES}/shop`]);
  t.strictSame(objects, JSON.parse(readFileSync(`${FIXTURES}/shop.objects.json`, "utf8")));
  const notes = passedOver.map(({ place, reason }) => {
    return `passed over: ${place.source?.replace(`${FIXTURES}/`, "")}: document ${place.document}: ${reason}`;
  });
  const told = [...messages(problems, FIXTURES), ...notes];
  t.strictSame(told, readFileSync(`${FIXTURES}/shop.messages.txt`, "utf8").trimEnd().split("\n"));
});

t.test("a fault costs its document alone, a small file cannot become a huge one", async (t) => {
  const { objects, problems } = await readManifests([`${FIXTURES}/faults`]);
  t.strictSame(objects.map(printObject), ["Service default/before", "Service default/after"]);
  t.strictSame(messages(problems, FIXTURES), [
    "faults/aliases.yaml: document 1: invalid YAML: undefined alias, or too many aliases",
    "faults/syntax.yaml: document 2: invalid YAML: line 9, column 1: wrong indentation, or a bracket that is not closed",
  ]);
});

/** The port of the Service that counts, and the places of the duplicates. */
async function portAmong(...paths: readonly string[]) {
  const stdin = Readable.from([Buffer.from(SERVICE("web", 4))]);
  const { objects, problems, passedOver } = await readManifests(paths, { stdin });
  return {
    ports: objects.map((object) => (object.kind === "Service" ? object.ports[0]?.port : 0)),
    problems,
    duplicates: passedOver.map(({ place, reason, category }) => `${category}: ${place.source}: ${reason}`),
  };
}

t.test(
  "of an object that is defined twice the argument given later counts, and a note names both places",
  async (t) => {
    const directory = t.testdir({ "a.yaml": SERVICE("web", 1), "b.yaml": SERVICE("web", 2) });
    const [a, b] = [`${directory}/a.yaml`, `${directory}/b.yaml`];
    const duplicate = (earlier: string, later: string) =>
      `duplicate: ${earlier}: defined again in ${later}, document 1, which is used`;
    t.strictSame(await portAmong(directory), { ports: [2], problems: [], duplicates: [duplicate(a, b)] });
    t.strictSame(await portAmong(b, a), { ports: [1], problems: [], duplicates: [duplicate(b, a)] });
    t.strictSame(await portAmong(directory, a), { ports: [1], problems: [], duplicates: [duplicate(b, a)] });
    t.strictSame(await portAmong("-", b), { ports: [2], problems: [], duplicates: [duplicate("-", b)] });
    t.strictSame(await portAmong(b, "-"), { ports: [4], problems: [], duplicates: [duplicate(b, "-")] });
    t.strictSame(await portAmong(a, `${directory}/./a.yaml`), { ports: [1], problems: [], duplicates: [] }, "one file");
  },
);

t.test("an object that a List defines twice is named with its positions", async (t) => {
  const items = [1, 2].map((port) => parse(SERVICE("web", port).replace("---", "")));
  const directory = t.testdir({ "a.json": JSON.stringify({ apiVersion: "v1", kind: "List", items }) });
  const { passedOver } = await readManifests([directory]);
  t.match(passedOver, [
    {
      place: { field: "items[0]" },
      reason: `defined again in ${directory}/a.json, document 1, items[1], which is used`,
    },
  ]);
});

t.test("standard input that is not YAML is a problem", async (t) => {
  const bad = await readManifests(["-"], { stdin: Readable.from(["a: ["]) });
  t.match(bad.problems[0]?.message, /^-: document 1: invalid YAML: line 1, column 5: /);
});

t.test("what is not there or not readable is told", async (t) => {
  const { objects, problems } = await readManifests(["/proc/self/mem", "/nowhere/at/all.yaml", "/dev/null/x"]);
  t.strictSame(objects, []);
  t.strictSame(
    problems.map(({ message }) => message),
    [
      "/nowhere/at/all.yaml: no such file or directory",
      "/dev/null/x: no such file or directory",
      "/proc/self/mem: cannot be read: input/output error",
    ],
  );
});

/** What was told while these texts were read. */
async function sharesOf(t: Test, files: Record<string, string>) {
  const told: (readonly [string, number])[] = [];
  const directory = t.testdir(files);
  await readManifests([directory], { tell: (path, share) => told.push([path.slice(directory.length + 1), share]) });
  return told;
}

t.test("how much of a file was read is told as it goes on, to the end", async (t) => {
  const items = [1, 2, 3, 4].map((port) => SERVICE(`web${port}`, port));
  const json = items.map((text) => parse(text.replace("---", "")));
  const CASES = {
    "many.yaml": items.join(""),
    "list.yaml": stringify({ apiVersion: "v1", kind: "List", items: json }),
    "list.json": JSON.stringify({ apiVersion: "v1", kind: "List", items: json }),
    "nested.json": JSON.stringify({ apiVersion: "v1", kind: "List", items: [{ kind: "List", items: json }] }),
    "one.json": JSON.stringify(json[0]),
  };
  for (const [name, text] of Object.entries(CASES)) {
    const told = await sharesOf(t, { [name]: text });
    t.ok(told.length > 0, name);
    t.ok(
      told.every(([path, share]) => path === name && share >= 0 && share <= 1),
      name,
    );
    t.ok((told.at(-1)?.[1] ?? 0) > 0.95, `${name}: at last nearly all of it`);
  }
  const list = (await sharesOf(t, { "list.json": CASES["list.json"] })).map(([, share]) => share);
  t.strictSame(list, [0.25, 0.5, 0.75, 1]);
});
