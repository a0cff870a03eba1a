// Parses /proc/net/ip_vs: the servers of both families at once, many times faster than a request for each.
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

/** The text of /proc/net/ip_vs in pieces. */
export type ProcText = AsyncIterable<string> | Iterable<string>;

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
 * The servers in the text, which may come in pieces that end anywhere. Those by firewall mark, and of protocols that no
 * Service has, are other software's and left out with their real servers. Rejects with KernelError for text that the
 * kernel did not write, and with what the pieces reject with.
 */
export async function readProcServers(pieces: ProcText): Promise<readonly ProcServer[]> {
  const servers: ProcServer[] = [];
  let current: OpenServer | undefined;
  let [number, rest] = [0, ""];
  const take = (line: string) => {
    if (number++ < HEADINGS || line === "") return;
    if (line.startsWith(" ")) {
      const real = readReal(line);
      current?.realServers.push(real);
      return;
    }
    current = line.startsWith("FWM ") ? undefined : readServer(line);
    if (current !== undefined) servers.push(current);
  };
  for await (const piece of pieces) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(take);
  }
  take(rest);
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
