// Chooses the proxy that the environment variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY ask for.
import { InputError } from "../errors.ts";
import { parseAddress } from "../net/address.ts";
import { cidrContains, parseCidr } from "../net/cidr.ts";
import { hostOf, portOf, readProxy } from "./server-address.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A variable as it is set, in either case of letters. */
interface Variable {
  readonly name: string;
  /** Empty: not set. */
  readonly text: string;
}

/**
 * What HTTPS_PROXY or HTTP_PROXY say, unless NO_PROXY names the server, as Go reads them: in either case of letters,
 * never for this host itself. Undefined where there is none. Throws InputError that names the variable, and never its
 * text, which may hold a password, for one that is malformed.
 */
export function proxyFor(server: URL, environment: Environment): URL | undefined {
  const { name, text } = lookUp(environment, server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (text === "") return undefined;
  const proxy = readProxy(text.includes("://") ? text : `http://${text}`, { source: name });
  // Read in any case: a typing error shows on every node, not only on those that need the proxy.
  const exempt = isExempt(server, lookUp(environment, "NO_PROXY"));
  return exempt || isThisHost(hostOf(server)) ? undefined : proxy;
}

function lookUp(environment: Environment, name: string): Variable {
  const inCapitals = environment[name]?.trim();
  if (inCapitals) return { name, text: inCapitals };
  const lower = name.toLowerCase();
  return { name: lower, text: environment[lower]?.trim() ?? "" };
}

function isThisHost(host: string): boolean {
  if (host === "localhost") return true;
  const address = parseAddress(host)?.text;
  return address !== undefined && (address === "::1" || cidrContains("127.0.0.0/8", address));
}

function isExempt(server: URL, { name, text }: Variable): boolean {
  const entries = text.split(",").map((entry) => entry.trim().toLowerCase());
  const answers = entries.map((entry, index) => {
    const answer = entry !== "" && exempts(entry, server);
    if (answer !== "malformed") return answer;
    throw new InputError(
      { source: name },
      `entry ${index + 1} is not a CIDR, or a host name or IP address with or without a port`,
    );
  });
  return answers.includes(true);
}

/** `*`, a range, an address or a name, the latter two maybe with a port; a name with a dot in front means what is below. */
function exempts(entry: string, server: URL): boolean | "malformed" {
  const host = hostOf(server);
  const address = parseAddress(host)?.text;
  if (entry === "*") return true;
  if (entry.includes("/")) {
    const range = parseCidr(entry)?.text;
    if (range === undefined) return "malformed";
    return address !== undefined && cidrContains(range, address);
  }
  const whole = parseAddress(entry)?.text;
  if (whole !== undefined) return whole === address;
  const [, bracketed, plain = "", port = ""] = /^(?:\[(.*)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(entry) ?? [];
  const exempted = parseAddress(bracketed ?? plain)?.text;
  if ((bracketed === undefined && plain === "") || (bracketed !== undefined && exempted === undefined))
    return "malformed";
  if (Number(port) > 65535) return "malformed";
  if (port !== "" && Number(port) !== portOf(server)) return false;
  return exempted === undefined ? namesHost(plain, host) : exempted === address;
}

function namesHost(name: string, host: string): boolean {
  const wanted = name.replace(/^\*(?=\.)/, "");
  return wanted.startsWith(".") ? host.endsWith(wanted) : host === wanted || host.endsWith(`.${wanted}`);
}
