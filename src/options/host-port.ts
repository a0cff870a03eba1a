// How are an address and a port told apart in `10.0.0.1:80` and `[fd00::1]:80`?
import { parseAddress } from "../net/address.ts";

export interface HostPort {
  readonly host: string;
  readonly port: string;
}

/** Splits at the last colon, brackets taken away, as Go's net package does; or says in its words why that cannot be. */
export function splitHostPort(text: string): HostPort | { readonly wrong: string } {
  const colon = text.lastIndexOf(":");
  if (colon < 0) return { wrong: `address ${text}: missing port in address` };
  const port = text.slice(colon + 1);
  if (!text.startsWith("[")) {
    const host = text.slice(0, colon);
    if (host.includes(":")) return { wrong: `address ${text}: too many colons in address` };
    return /[[\]]/.test(host) ? { wrong: `address ${text}: unexpected bracket in address` } : { host, port };
  }
  const end = text.indexOf("]");
  if (end < 0) return { wrong: `address ${text}: missing ']' in address` };
  if (end + 1 === text.length) return { wrong: `address ${text}: missing port in address` };
  if (end + 1 !== colon) return { wrong: `address ${text}: too many colons in address` };
  return { host: text.slice(1, end), port };
}

/** A bare IP gets the port, in brackets where it needs them; what has a port, and what is no IP, stays as it is. */
export function withPort(text: string, port: number): string {
  const address = parseAddress(text);
  if (address === undefined) return text;
  return address.family === "IPv4" ? `${text}:${port}` : `[${text}]:${port}`;
}
