// What does the text of `ipvsadm -Sn` say, and how are virtual servers written so?
import { RuleSyntaxError } from "../errors.ts";
import { hostPort, kernelText, parseAddress } from "../net/address.ts";
import { PROTOCOLS, type Protocol } from "../net/protocol.ts";
import { type Options, printServerOptions, readOptions, readServerOptions } from "./ipvsadm-options.ts";
import {
  type ForwardMethod,
  printIdentity,
  type RealServer,
  type ServerIdentity,
  type VirtualServer,
} from "./virtual-server.ts";

const PROTOCOL_FLAG: Readonly<Record<Protocol, string>> = { TCP: "-t", UDP: "-u", SCTP: "--sctp-service" };

/** `-g` is what the tool prints for a local server too, and must be here for a bypass, which it has no option for. */
const METHOD_FLAG: Readonly<Record<ForwardMethod, string>> = {
  masquerade: "-m",
  tunnel: "-i",
  route: "-g",
  local: "-g",
  bypass: "-g",
};

/**
 * One line for each virtual server and, behind it, one for each of its real servers, sorted by protocol, address and
 * port. `ipvsadm -R` takes them as they are.
 */
export function printServers(servers: readonly VirtualServer[]): readonly string[] {
  return servers.toSorted(inOrder).flatMap((server) => {
    const name = `${PROTOCOL_FLAG[server.protocol]} ${printPlace(server)}`;
    const real = server.realServers.toSorted(byPlace).map((one) => `-a ${name} ${printReal(one)}`);
    return [`-A ${name}${printServerOptions(server)}`, ...real];
  });
}

interface OpenServer extends VirtualServer {
  readonly realServers: RealServer[];
}

type Servers = Map<string, OpenServer>;

/**
 * Reads save text. Virtual servers by firewall mark belong to somebody else and are left out; so is what is not told of
 * in `VirtualServer`. Throws RuleSyntaxError, with the line, for what is not save text.
 */
export function parseServers(text: string): readonly VirtualServer[] {
  const servers: Servers = new Map();
  for (const [index, line] of text.split("\n").entries()) {
    const words = line.split(" ").filter((word) => word !== "");
    if (words.length === 0 || words[1] === "-f") continue;
    const fault = take(servers, words);
    if (fault !== undefined) throw new RuleSyntaxError(index + 1, line, fault);
  }
  return [...servers.values()];
}

/** Gives the reason where it is not to be understood. */
function take(servers: Servers, [command, flag, written = "", ...rest]: readonly string[]): string | undefined {
  const protocol = PROTOCOLS.find((known) => PROTOCOL_FLAG[known] === flag);
  const place = parsePlace(written);
  if (protocol === undefined || place === undefined) return "not a virtual server";
  const options = readOptions(rest);
  if (options === undefined) return "an option that is not known, or lacks its value";
  const identity = { ...place, protocol };
  if (command === "-A") return open(servers, identity, options);
  return command === "-a" ? add(servers.get(printIdentity(identity)), options) : "neither -A nor -a";
}

function open(servers: Servers, identity: ServerIdentity, written: Options): string | undefined {
  const options = readServerOptions(written);
  if (options === undefined) return "a flag of the scheduler that is not known";
  servers.set(printIdentity(identity), { ...identity, ...options, realServers: [] });
  return undefined;
}

function add(server: OpenServer | undefined, options: Options): string | undefined {
  if (server === undefined) return "a real server of a virtual server that is not above";
  const place = parsePlace(options.get("-r") ?? "");
  const weight = Number(options.get("-w") ?? 1);
  if (place === undefined || !Number.isInteger(weight)) return "not a real server";
  server.realServers.push({ ...place, method: methodOf(options), weight });
  return undefined;
}

function methodOf(options: Options): ForwardMethod {
  if (options.has("-m")) return "masquerade";
  return options.has("-i") ? "tunnel" : "route";
}

type Place = Pick<ServerIdentity, "address" | "port">;

function printReal(real: RealServer): string {
  return `-r ${printPlace(real)} ${METHOD_FLAG[real.method]} -w ${real.weight}`;
}

function printPlace({ address, port }: Place): string {
  return hostPort(kernelText(address), port);
}

function parsePlace(text: string): Place | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([\d.]+)):(\d{1,5})$/.exec(text) ?? [];
  const address = parseAddress(bracketed ?? plain ?? "");
  return address && Number(port) <= 65_535 ? { address: address.text, port: Number(port) } : undefined;
}

function inOrder(one: VirtualServer, other: VirtualServer): number {
  const protocols = PROTOCOLS.indexOf(one.protocol) - PROTOCOLS.indexOf(other.protocol);
  return protocols === 0 ? byPlace(one, other) : protocols;
}

function byPlace(one: Place, other: Place): number {
  if (one.address === other.address) return one.port - other.port;
  return one.address < other.address ? -1 : 1;
}
