// Do this machine's own connections get the source that was chosen for them? By a real kernel, with an interface that is
// down as that of IPVS mode is.
import "../support/enter-sandbox.ts";

import { execa } from "execa";
import t from "tap";
import { bindAddresses, ensureDevice, removeDevice, unbindAddresses } from "../../src/kernel/link.ts";
import { forgetSource, preferSource } from "../../src/kernel/local-source.ts";
import { sandboxEnvironment, skipReason } from "../support/sandbox.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(60_000);

const skip = skipReason();

const BRIDGE = { name: "kube-ipvs0", kind: "bridge" };

async function ip(line: string): Promise<string> {
  return (await execa("ip", line.split(" "), { env: sandboxEnvironment() })).stdout;
}

t.test("another address of the machine is the source, until the address goes", { skip }, async (t) => {
  await ip("link set lo up");
  await ip("addr add 192.0.2.10/32 dev lo");
  const index = await ensureDevice(BRIDGE);
  t.teardown(() => removeDevice(BRIDGE));
  await bindAddresses(index, ["10.96.1.1", "10.96.1.2"]);
  t.match(await ip("route get 10.96.1.1"), /^local 10\.96\.1\.1 .*src 10\.96\.1\.1 /);
  t.equal(await preferSource(index, ["10.96.1.1"], "192.0.2.10"), 0);
  t.match(await ip("route get 10.96.1.1"), /^local 10\.96\.1\.1 .*src 192\.0\.2\.10 /, "and it is local as ever");
  t.match(
    await ip("route get 10.96.1.1 from 10.96.1.1"),
    /^local 10\.96\.1\.1 from 10\.96\.1\.1 /,
    "old ones keep theirs",
  );
  t.match(await ip("route get 10.96.1.2"), /src 10\.96\.1\.2 /, "others have their own");
  await unbindAddresses(index, ["10.96.1.1"]);
  await forgetSource(index, ["10.96.1.1", "10.96.1.3"]);
  t.notMatch(await ip("route show table local"), /10\.96\.1\.1/, "nothing is left of it");
});

t.test("a source that is not of this machine is refused", { skip }, async (t) => {
  const index = await ensureDevice(BRIDGE);
  t.teardown(() => removeDevice(BRIDGE));
  await bindAddresses(index, ["10.96.1.1"]);
  t.equal(await preferSource(index, ["10.96.1.1"], "198.51.100.1"), 1);
  t.match(await ip("route get 10.96.1.1"), /src 10\.96\.1\.1 /);
});
