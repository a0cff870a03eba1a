// Parses the URLs of API servers and proxies.
import { InputError, type Place } from "../errors.ts";

const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * The API server's URL, without a slash at its end. Where the scheme is left out it is https if TLS was spoken of, else
 * http, as in client-go. Throws InputError without the text, for it may hold a password.
 */
export function readServer(text: string, place: Place, speaksTls: boolean): URL {
  const url = parseUrl(SCHEME.test(text) ? text : `${speaksTls ? "https" : "http"}://${text}`, place);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new InputError(place, "must begin with http:// or https://");
  if (url.username !== "" || url.password !== "") throw new InputError(place, "must not hold a user or password");
  url.pathname = url.pathname.replace(/\/+$/, "");
  return url;
}

/**
 * The URL of a proxy that speaks HTTP; it may hold a user and a password. Throws InputError without the text, for the
 * same reason.
 */
export function readProxy(text: string, place: Place): URL {
  const url = parseUrl(text, place);
  if (url.protocol.startsWith("socks"))
    throw new InputError(place, "SOCKS proxies are not supported, only http and https");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new InputError(place, "must begin with http:// or https://");
  // What stands behind the host, as in `http://http:/proxy:3128`, shows that the host is not the one that was meant.
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
    throw new InputError(place, "must be [http://][USER:PASSWORD@]HOST[:PORT], without a path");
  try {
    decodeURIComponent(`${url.username}${url.password}`);
  } catch {
    throw new InputError(place, "has a user or password with % that is not followed by two hexadecimal digits");
  }
  return url;
}

/** For people: without user, password and query. */
export function printServer(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname === "/" ? "" : url.pathname}`;
}

/** The host as it is dialled and certified: an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

export function portOf({ port, protocol }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

function parseUrl(text: string, place: Place): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new InputError(place, "is not a valid URL");
}
