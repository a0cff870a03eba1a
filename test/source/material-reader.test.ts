import { rmSync, writeFileSync } from "node:fs";
import t from "tap";
import { MaterialReader } from "../../src/source/material-reader.ts";
import { HandTiming } from "../support/timing.ts";

const MINUTE = 60_000;

t.test("a text that was given stays as it is", async (t) => {
  const reader = new MaterialReader({ type: "text", text: "T", place: {} }, { timing: new HandTiming(), warn: t.fail });
  reader.expire();
  t.equal(await reader.read(), "T");
});

t.test("a file is read again after a minute, or when what it said was refused", async (t) => {
  const path = `${t.testdir({ token: "one" })}/token`;
  const timing = new HandTiming();
  const reader = new MaterialReader({ type: "file", path, place: {} }, { timing, warn: t.fail });
  t.equal(await reader.read(), "one");
  writeFileSync(path, "two");
  await timing.advance(MINUTE - 1);
  t.equal(await reader.read(), "one", "within the minute");
  await timing.advance(1);
  t.equal(await reader.read(), "two", "after it");
  writeFileSync(path, "three");
  reader.expire();
  t.equal(await reader.read(), "three", "refused");
});

t.test("while a file cannot be read, what it said before holds, and that is told once", async (t) => {
  const path = `${t.testdir({ token: "one" })}/token`;
  const timing = new HandTiming();
  const told: string[] = [];
  const reader = new MaterialReader({ type: "file", path, place: {} }, { timing, warn: (text) => told.push(text) });
  const readLater = async () => {
    await timing.advance(MINUTE);
    return await reader.read();
  };
  t.equal(await reader.read(), "one");
  writeFileSync(path, "\n");
  t.equal(await readLater(), "one");
  t.equal(await readLater(), "one");
  t.strictSame(told.splice(0), [`${path} is empty; what it said before is used on`]);
  writeFileSync(path, "two");
  t.equal(await readLater(), "two");
  rmSync(path);
  t.equal(await readLater(), "two");
  t.strictSame(told, [`${path} cannot be read: no such file or directory; what it said before is used on`]);
});

t.test("a file that was never readable is an error each time", async (t) => {
  const path = `${t.testdir({})}/token`;
  const place = { source: "kubeconfig", field: "users[0].user.tokenFile" };
  const reader = new MaterialReader({ type: "file", path, place }, { timing: new HandTiming(), warn: t.fail });
  const failure = {
    name: "InputError",
    message: `kubeconfig: users[0].user.tokenFile: ${path} cannot be read: no such file or directory`,
  };
  await t.rejects(reader.read(), failure);
  writeFileSync(path, "one");
  t.equal(await reader.read(), "one", "as soon as it is there");
});
