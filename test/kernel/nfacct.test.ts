// Does a counter tell the packets that went through it? In a namespace of its own, with real packets.
import "../support/enter-sandbox.ts";

import { createSocket } from "node:dgram";
import { execa } from "execa";
import t from "tap";
import { ensureCounter, hasCounters, readCounter } from "../../src/kernel/nfacct.ts";
import { skipReason } from "../support/sandbox.ts";

const skip = skipReason() || (!(await hasCounters()) && "no nfacct in this kernel");
const NAME = "localhost_nps_accepted_pkts";

t.before(async () => {
  if (!skip) await execa("ip", ["link", "set", "lo", "up"]);
});

t.test("a counter that is not there has counted nothing, not zero", { skip }, async (t) => {
  t.equal(await readCounter(NAME), undefined);
  await ensureCounter(`${NAME}_2`);
  t.equal(await readCounter(NAME), undefined, "though one with a longer name is");
});

t.test("packets are counted one by one, and of the counter that is asked for", { skip }, async (t) => {
  await ensureCounter(NAME);
  await ensureCounter("ct_state_invalid_dropped_pkts");
  t.equal(await readCounter(NAME), 0n);
  await execa("iptables", ["-A", "OUTPUT", "-p", "udp", "--dport", "9", "-m", "nfacct", "--nfacct-name", NAME]);
  const socket = createSocket("udp4");
  t.teardown(() => socket.close());
  for (let sent = 0; sent < 3; sent++) {
    await new Promise((resolve) => socket.send("one packet", 9, "127.0.0.1", resolve));
  }
  t.equal(await readCounter(NAME), 3n);
  t.equal(await readCounter("ct_state_invalid_dropped_pkts"), 0n);
});
