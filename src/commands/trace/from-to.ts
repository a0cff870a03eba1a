// Parses the values of --from and --to.

import { InputError, type Place } from "../../errors.ts";
import { parseAddress } from "../../net/address.ts";
import { PROTOCOLS, type Protocol } from "../../net/protocol.ts";

/** Who sends the packet. */
export type Sender =
  /** A process of the node. */
  | { readonly kind: "node" }
  /** Any client outside of the cluster. */
  | { readonly kind: "external" }
  | { readonly kind: "pod"; readonly namespace: string; readonly name: string }
  /** Canonical. */
  | { readonly kind: "address"; readonly address: string; readonly port?: number };

/** Where it goes. */
export type Target =
  | { readonly kind: "address"; readonly address: string; readonly port: number; readonly protocol: Protocol }
  | {
      readonly kind: "service";
      readonly namespace: string;
      readonly name: string;
      /** Name or number; absent: the only one there is. */
      readonly port?: string;
      readonly protocol?: Protocol;
    }
  /** The node's own address. */
  | { readonly kind: "node"; readonly port: number; readonly protocol: Protocol };

const NAME = "[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?";

const POD = new RegExp(`^pod/(${NAME})/(${NAME})$`);

const PROTOCOL = "(?:/([A-Za-z]+))?";

const SERVICE = new RegExp(`^service/(${NAME})/(${NAME})(?::([a-z0-9-]+))?${PROTOCOL}$`);

const TARGET = new RegExp(`^(?:\\[([^\\]]*)\\]|([^:[\\]]*)):(\\d{1,5})${PROTOCOL}$`);

const BRACKETED = /^\[([^\]]*)\](?::(\d{1,5}))?$/;

const DOTTED = /^([^:]*)(?::(\d{1,5}))?$/;

const SENDERS = "ADDRESS[:PORT], node, pod/NAMESPACE/NAME or external";

const TARGETS = "ADDRESS:PORT[/tcp|udp|sctp], service/NAMESPACE/NAME[:PORT] or node:PORT";

/** Reads `ADDRESS[:PORT] | node | pod/NAMESPACE/NAME | external`. Throws InputError. */
export function readSender(text: string, place: Place): Sender {
  if (text === "node" || text === "external") return { kind: text };
  const [, namespace, name] = POD.exec(text) ?? [];
  if (namespace !== undefined && name !== undefined) return { kind: "pod", namespace, name };
  const whole = parseAddress(text);
  if (whole) return { kind: "address", address: whole.text };
  const [, host = "", written] = BRACKETED.exec(text) ?? DOTTED.exec(text) ?? [];
  const address = parseAddress(host);
  const port = written === undefined ? undefined : readPort(written);
  if (!address || (written !== undefined && port === undefined)) throw notOneOf(text, SENDERS, place);
  return { kind: "address", address: address.text, ...(port === undefined ? {} : { port }) };
}

/** Reads `ADDRESS:PORT[/PROTOCOL] | service/NAMESPACE/NAME[:PORT] | node:PORT`; TCP unless said. Throws InputError. */
export function readTarget(text: string, place: Place): Target {
  const service = SERVICE.exec(text);
  if (service) return serviceTarget(service, text, place);
  const [, bracketed, plain, written = "", named] = TARGET.exec(text) ?? [];
  const host = bracketed ?? plain ?? "";
  const port = readPort(written);
  const protocol = readProtocol(named ?? "tcp");
  if (port === undefined || protocol === undefined) throw notOneOf(text, TARGETS, place);
  if (host === "node" && bracketed === undefined) return { kind: "node", port, protocol };
  const address = parseAddress(host);
  if (!address) throw notOneOf(text, TARGETS, place);
  return { kind: "address", address: address.text, port, protocol };
}

function serviceTarget(
  [, namespace = "", name = "", port, named]: RegExpExecArray,
  text: string,
  place: Place,
): Target {
  const protocol = named === undefined ? undefined : readProtocol(named);
  if (named !== undefined && protocol === undefined) throw notOneOf(text, TARGETS, place);
  return { kind: "service", namespace, name, ...(port === undefined ? {} : { port }), ...(protocol && { protocol }) };
}

function readPort(text: string): number | undefined {
  const port = Number(text);
  return text !== "" && port > 0 && port < 65_536 ? port : undefined;
}

function readProtocol(name: string): Protocol | undefined {
  return PROTOCOLS.find((protocol) => protocol === name.toUpperCase());
}

function notOneOf(text: string, forms: string, place: Place): InputError {
  return new InputError(place, `${JSON.stringify(text)} is not ${forms}`);
}
