// How does a test get thousands of conntrack entries in a moment? By real packets to as many ports of loopback.
import { createSocket } from "node:dgram";
import { execa } from "execa";
import { sandboxEnvironment } from "./sandbox.ts";

/** As many UDP flows from one port of 127.0.0.1. Only in a namespace that nobody else uses: it gets a rule. */
export async function manyFlows(count: number): Promise<void> {
  const env = sandboxEnvironment();
  await execa("ip", ["link", "set", "lo", "up"], { env });
  // Without a rule that asks for states, the kernel keeps none.
  await execa("iptables", ["-A", "INPUT", "-m", "conntrack", "--ctstate", "NEW", "-j", "ACCEPT"], { env });
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  const send = (port: number) => new Promise<unknown>((resolve) => socket.send("?", port, "127.0.0.1", resolve));
  await Promise.all(Array.from({ length: count }, (_, index) => send(10_000 + index)));
  socket.close();
}
