// What does /proc/net/ip_vs say? All servers of both families at once, many times faster than to ask for each.
import { PROTOCOLS } from "../net/protocol.ts";
import type { BusyServer, ForwardMethod, ServerIdentity } from "../state/virtual-server.ts";
import { addressText } from "./address-bytes.ts";
import { misread } from "./attributes.ts";

/**
 * A virtual server as the file tells it. Not all: flags of its scheduler are missing, and persistence stands there in
 * ticks of a clock whose rate nothing tells.
 */
export interface ProcServer extends ServerIdentity {
  readonly scheduler: string;
  readonly realServers: readonly BusyServer[];
}

/** Version, and the headings of virtual and of real servers. */
const HEADINGS = 3;

/** An address, of IPv6 with all its digits, and a port. */
const PLACE = String.raw`([0-9A-F]{8}|\[(?:[0-9a-f]{4}:){7}[0-9a-f]{4}\]):([0-9A-F]{4})`;
const SERVER = new RegExp(`^(\\w+) +${PLACE} (\\S+)(?: |$)`);
const REAL = new RegExp(`^ {2}-> ${PLACE} +(\\w+) +(\\d+) +(\\d+) +(\\d+) *$`);

const METHODS: ReadonlyMap<string, ForwardMethod> = new Map([
  ["Masq", "masquerade"],
  ["Local", "local"],
  ["Tunnel", "tunnel"],
  ["Route", "route"],
  ["Bypass", "bypass"],
]);

interface OpenServer extends ProcServer {
  readonly realServers: BusyServer[];
}

/**
 * The servers in the text. Those by firewall mark, and of protocols that no Service has, are somebody else's and left
 * out with what is behind them. Throws KernelError for text that is none of the kernel's.
 */
export function readProcServers(text: string): readonly ProcServer[] {
  const servers: ProcServer[] = [];
  let current: OpenServer | undefined;
  for (const line of text.split("\n").slice(HEADINGS)) {
    if (line === "") continue;
    if (line.startsWith(" ")) {
      const real = readReal(line);
      current?.realServers.push(real);
      continue;
    }
    current = line.startsWith("FWM ") ? undefined : readServer(line);
    if (current !== undefined) servers.push(current);
  }
  return servers;
}

function readServer(line: string): OpenServer | undefined {
  const [, name, address = "", port = "", scheduler] = SERVER.exec(line) ?? [];
  if (scheduler === undefined) throw misread("/proc/net/ip_vs", `not a virtual server: ${line}`);
  const protocol = PROTOCOLS.find((known) => known === name);
  return protocol && { ...readPlace(address, port), protocol, scheduler, realServers: [] };
}

function readReal(line: string): BusyServer {
  const [, address = "", port = "", word = "", weight, active, inactive] = REAL.exec(line) ?? [];
  const method = METHODS.get(word);
  if (method === undefined) throw misread("/proc/net/ip_vs", `not a real server: ${line}`);
  return {
    ...readPlace(address, port),
    method,
    weight: Number(weight),
    activeConnections: Number(active),
    inactiveConnections: Number(inactive),
  };
}

function readPlace(address: string, port: string) {
  const digits = address.replace(/[[\]:]/g, "");
  return { address: addressText(Buffer.from(digits, "hex")), port: Number.parseInt(port, 16) };
}
