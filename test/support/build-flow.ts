// How does a test write a UDP flow as `ip:port` texts?
import { familyOf, hostPort } from "../../src/net/address.ts";
import type { FlowEnd, UdpFlow } from "../../src/state/udp-flow.ts";

let made = 0;

/** Both as `ip:port`: where the client sent to, and who answers. Each flow has a number of its own. */
export function buildFlow({ to, by }: { readonly to: string; readonly by: string }): UdpFlow {
  made += 1;
  const destination = endOf(to);
  const family = familyOf(destination.address);
  const client = endOf(family === "IPv4" ? `10.244.0.5:${made}` : `[fd00:244::5]:${made}`);
  return { family, client, destination, server: endOf(by), id: made, tuple: new Uint8Array() };
}

function endOf(text: string): FlowEnd {
  const colon = text.lastIndexOf(":");
  const address = text.slice(0, colon).replace(/^\[|\]$/g, "");
  const port = Number(text.slice(colon + 1));
  return { address, port, text: hostPort(address, port) };
}
