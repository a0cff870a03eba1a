// Which way does a request go to the server: straight or by a proxy, with TLS or without?
import { type Agent, Agent as PlainAgent, request as requestPlain } from "node:http";
import { request as requestTls, Agent as TlsAgent } from "node:https";
import { type ConnectionOptions, checkServerIdentity } from "node:tls";
import { parseAddress } from "../net/address.ts";
import type { Access } from "./access.ts";
import type { TlsMaterial } from "./credentials.ts";
import { makeSecureContext } from "./secure-context.ts";
import { hostOf, portOf } from "./server-address.ts";
import { proxyHeaders, TunnelAgent } from "./tunnel.ts";

/** Milliseconds until a connection must stand. */
export const CONNECT_LIMIT = 30_000;

/** Milliseconds of silence after which the system asks the other side whether it is still there; ten seconds on, it is not. */
const PROBE = 30_000;

const KEEP_ALIVE = { keepAlive: true, keepAliveMsecs: PROBE };

/** Where requests go to in the end, and by which proxy. */
export interface Target {
  readonly access: Access;
  readonly proxy: URL | undefined;
}

/** How to send a request on its way. */
export interface Route {
  readonly send: typeof requestPlain;
  readonly agent: Agent;
  readonly host: string;
  readonly port: number;
  /** Stands before each path. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Throws InputError for certificates that cannot be used. */
export function makeRoute(target: Target, tls: TlsMaterial): Route {
  const { server } = target.access;
  const straight = { host: hostOf(server), port: portOf(server), prefix: server.pathname.replace(/\/$/, "") };
  if (server.protocol === "https:") {
    return { ...straight, send: requestTls, agent: makeTlsAgent(target, tls), headers: { host: server.host } };
  }
  const { proxy } = target;
  if (!proxy)
    return { ...straight, send: requestPlain, agent: new PlainAgent(KEEP_ALIVE), headers: { host: server.host } };
  return {
    ...(proxy.protocol === "https:"
      ? { send: requestTls, agent: new TlsAgent({ ...KEEP_ALIVE, ...proxyTls(target, tls) }) }
      : { send: requestPlain, agent: new PlainAgent(KEEP_ALIVE) }),
    host: hostOf(proxy),
    port: portOf(proxy),
    prefix: `${server.origin}${straight.prefix}`,
    headers: { host: server.host, ...proxyHeaders(proxy) },
  };
}

function makeTlsAgent(target: Target, material: TlsMaterial): Agent {
  const { access, proxy } = target;
  const tls = serverTls(access, material);
  if (!proxy) return new TlsAgent({ ...KEEP_ALIVE, ...tls });
  const { server } = access;
  const way = { proxy, proxyTls: proxyTls(target, material), server, tls, limit: CONNECT_LIMIT, probe: PROBE };
  return new TunnelAgent(KEEP_ALIVE, way);
}

// An address may be certified, yet must not be sent as a name before the certificate is seen.
function serverTls(access: Access, material: TlsMaterial): ConnectionOptions {
  const name = access.serverName ?? hostOf(access.server);
  return {
    secureContext: makeSecureContext(access, material),
    servername: parseAddress(name) ? "" : name,
    checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
    rejectUnauthorized: !access.insecure,
    ALPNProtocols: ["http/1.1"],
  };
}

/** As under client-go, a proxy is trusted as the server is; it is not shown who we are. */
function proxyTls({ access }: Target, { authorities }: TlsMaterial): ConnectionOptions {
  return { ...(authorities !== undefined && { ca: authorities }), rejectUnauthorized: !access.insecure };
}
