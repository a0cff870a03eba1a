// Which proxy does the environment ask for, on the way to a server?
import { parseAddress } from "../net/address.ts";
import { cidrContains, parseCidr } from "../net/cidr.ts";
import { hostOf, portOf, readProxy } from "./server-address.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What HTTPS_PROXY or HTTP_PROXY say, unless NO_PROXY names the server, as Go reads them: in either case of letters,
 * never for this host itself. Undefined where there is none. Throws InputError for a text that names no proxy.
 */
export function proxyFor(server: URL, environment: Environment): URL | undefined {
  const name = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const text = lookUp(environment, name);
  if (text === "" || isThisHost(hostOf(server)) || isExempt(server, lookUp(environment, "NO_PROXY"))) return undefined;
  return readProxy(text.includes("://") ? text : `http://${text}`, { source: name });
}

function lookUp(environment: Environment, name: string): string {
  return environment[name] || environment[name.toLowerCase()] || "";
}

function isThisHost(host: string): boolean {
  if (host === "localhost") return true;
  const address = parseAddress(host)?.text;
  return address !== undefined && (address === "::1" || cidrContains("127.0.0.0/8", address));
}

function isExempt(server: URL, list: string): boolean {
  const entries = list.split(",").map((entry) => entry.trim().toLowerCase());
  return entries.some((entry) => entry !== "" && exempts(entry, server));
}

/** `*`, a range, an address or a name, the latter two maybe with a port; a name with a dot in front means what is below. */
function exempts(entry: string, server: URL): boolean {
  const host = hostOf(server);
  const address = parseAddress(host)?.text;
  const range = parseCidr(entry)?.text;
  if (entry === "*") return true;
  if (range !== undefined) return address !== undefined && cidrContains(range, address);
  const [name, port] = splitPort(entry);
  if (port !== "" && Number(port) !== portOf(server)) return false;
  const exempted = parseAddress(name)?.text;
  return exempted === undefined ? namesHost(name, host) : exempted === address;
}

function splitPort(entry: string): readonly [string, string] {
  const [, bracketed, plain = "", port = ""] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [undefined, entry];
  return [bracketed ?? plain, port];
}

function namesHost(name: string, host: string): boolean {
  const wanted = name.replace(/^\*(?=\.)/, "");
  return wanted.startsWith(".") ? host.endsWith(wanted) : host === wanted || host.endsWith(`.${wanted}`);
}
