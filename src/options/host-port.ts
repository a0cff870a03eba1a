// Splits and joins addresses and ports such as `10.0.0.1:80` and `[fd00::1]:80`.
import { parseAddress } from "../net/address.ts";

export interface HostPort {
  readonly host: string;
  readonly port: string;
}

/** Splits at the last colon and removes brackets, like `net.SplitHostPort` in Go, or returns Go's error message. */
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

/** Adds the port to an IP address, with brackets for IPv6. Returns any other text unchanged. */
export function withPort(text: string, port: number): string {
  const address = parseAddress(text);
  if (address === undefined) return text;
  return address.family === "IPv4" ? `${text}:${port}` : `[${text}]:${port}`;
}
