// Opens connections to the API server: TCP, directly or through a proxy, and TLS with ALPN.
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect as connectTcp, type Socket } from "node:net";
import {
  type ConnectionOptions,
  checkServerIdentity,
  connect as connectTls,
  createSecureContext,
  type SecureContext,
  type TLSSocket,
} from "node:tls";
import { InputError } from "../../errors.ts";
import { hostPort, parseAddress } from "../../net/address.ts";
import type { Access } from "../access.ts";
import { ConnectionError } from "../connection.ts";
import { failureOf } from "../connection-failure.ts";
import type { TlsMaterial } from "../credentials.ts";
import { hostOf, portOf, printServer } from "../server-address.ts";
import type { Timing } from "../timing.ts";

/**
 * Milliseconds for TCP, proxy and TLS handshake together. client-go allows 30 s for TCP and 10 s for TLS; the kernel
 * repeats a lost SYN after 1, 3 and 7 s, so that 10 s are four attempts.
 */
const CONNECT_LIMIT = 10_000;

/**
 * Milliseconds of silence before the kernel probes an idle connection (TCP_KEEPIDLE). libuv sets TCP_KEEPINTVL to 1 s
 * and TCP_KEEPCNT to 10, so that a connection whose peer is gone fails after 20 s with ETIMEDOUT.
 */
export const KEEP_ALIVE_IDLE = 10_000;

const CERTIFICATE = "-----BEGIN CERTIFICATE-----";

/** The API server and the way to it. */
export interface Target {
  readonly access: Access;
  /** HTTP or HTTPS proxy; undefined: none. */
  readonly proxy: URL | undefined;
  /** Offer HTTP/2 in the TLS handshake. */
  readonly http2: boolean;
}

/** An established connection. TCP is connected and, for https, the TLS handshake is complete. */
export interface Opened {
  readonly protocol: "h2" | "http/1.1";
  readonly socket: Socket;
}

/** Opens connections to one API server with one set of certificates. */
export class Dialer {
  readonly #target: Target;
  readonly #timing: Timing;
  readonly #serverTls: ConnectionOptions;
  readonly #proxyTls: ConnectionOptions;

  /** Throws InputError for certificates that cannot be used. */
  constructor(target: Target, tls: TlsMaterial, timing: Timing) {
    const { access, http2 } = target;
    const name = access.serverName ?? hostOf(access.server);
    this.#target = target;
    this.#timing = timing;
    this.#serverTls = {
      secureContext: makeSecureContext(access, tls),
      // RFC 6066: an IP address is not sent as SNI, although a certificate may contain it.
      servername: parseAddress(name) ? "" : name,
      checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
      rejectUnauthorized: !access.insecure,
      ALPNProtocols: http2 ? ["h2", "http/1.1"] : ["http/1.1"],
    };
    // As in client-go, a proxy must be certified by the same authorities, and does not get the client certificate.
    this.#proxyTls = {
      ...(tls.authorities !== undefined && { ca: tls.authorities }),
      rejectUnauthorized: !access.insecure,
    };
  }

  /** Rejects with ConnectionError of phase `connect`, after CONNECT_LIMIT or when the signal is aborted at the latest. */
  async open(signal: AbortSignal): Promise<Opened> {
    const attempt = new Attempt();
    const server = printServer(this.#target.access.server);
    const closed = new ConnectionError(server, "ABORT_ERR", "the connection is closed", "connect");
    if (signal.aborted) throw closed;
    const cancel = this.#timing.after(CONNECT_LIMIT, () => {
      const reason = `${attempt.stage} within ${CONNECT_LIMIT / 1000} s`;
      attempt.fail(new ConnectionError(server, "ETIMEDOUT", reason, "connect"));
    });
    const stop = () => attempt.fail(closed);
    signal.addEventListener("abort", stop);
    try {
      return await this.#connect(attempt);
    } catch (error) {
      attempt.end();
      throw failureOf(server, error, "connect");
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
    }
  }

  async #connect(attempt: Attempt): Promise<Opened> {
    const { access, proxy } = this.#target;
    let socket = await attempt.connect(proxy ?? access.server);
    if (proxy?.protocol === "https:") {
      const servername = parseAddress(hostOf(proxy)) ? "" : hostOf(proxy);
      // Without SNI, Node would check the certificate for "localhost".
      socket = await attempt.startTls(socket, { ...this.#proxyTls, host: hostOf(proxy), servername });
    }
    if (access.server.protocol === "http:") return { protocol: "http/1.1", socket };
    if (proxy) await attempt.openTunnel(socket, proxy, access.server);
    const encrypted = await attempt.startTls(socket, this.#serverTls);
    return { protocol: encrypted.alpnProtocol === "h2" ? "h2" : "http/1.1", socket: encrypted };
  }
}

/** One attempt to connect: the sockets opened so far, and which step is under way. */
class Attempt {
  readonly #sockets: Socket[] = [];
  #stage = "";

  /** What has not happened yet, for the error message. */
  get stage(): string {
    return this.#stage;
  }

  /** Makes the present step reject with this error. */
  fail(error: Error): void {
    this.#sockets.at(-1)?.destroy(error);
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async connect(url: URL): Promise<Socket> {
    this.#stage = "no TCP connection";
    const socket = this.#add(connectTcp({ host: hostOf(url), port: portOf(url), noDelay: true }));
    await once(socket, "connect");
    // Set on the socket itself: the options of Agent and of tls.connect do not reach a TLS connection.
    socket.setKeepAlive(true, KEEP_ALIVE_IDLE);
    return socket;
  }

  async startTls(socket: Socket, options: ConnectionOptions): Promise<TLSSocket> {
    this.#stage = "no TLS handshake";
    const tls = this.#add(connectTls({ ...options, socket }));
    socket.once("error", (error) => tls.destroy(error));
    await once(tls, "secureConnect");
    return tls;
  }

  /** Asks the proxy for a tunnel to the server (CONNECT, RFC 9110 section 9.3.6). */
  async openTunnel(socket: Socket, proxy: URL, server: URL): Promise<void> {
    const name = `proxy ${printServer(proxy)}`;
    this.#stage = `no answer from ${name}`;
    const target = hostPort(hostOf(server), portOf(server));
    const headers = { host: target, ...proxyHeaders(proxy) };
    const asked = request({ method: "CONNECT", path: target, headers, createConnection: () => socket }).end();
    const answers: IncomingMessage[] = await once(asked, "connect");
    const statusCode = answers[0]?.statusCode;
    if (statusCode === 200) return;
    throw new ConnectionError(name, String(statusCode), `cannot connect to ${target}: status ${statusCode}`, "connect");
  }

  #add<T extends Socket>(socket: T): T {
    this.#sockets.push(socket);
    // An error also closes the socket, and that is what its user learns of.
    socket.on("error", () => {});
    return socket;
  }
}

/** `Proxy-Authorization` for the user in the URL of the proxy. */
export function proxyHeaders({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

function makeSecureContext(access: Access, { authorities, certificate, key }: TlsMaterial): SecureContext {
  // OpenSSL takes a text without any certificate for an empty list, and would trust no server at all.
  if (authorities !== undefined && !authorities.includes(CERTIFICATE)) {
    throw new InputError(access.authorities?.place ?? {}, "contains no certificate in PEM format");
  }
  try {
    return createSecureContext({ ca: authorities, cert: certificate, key });
  } catch (error) {
    const place = access.identity.certificate?.certificate.place ?? {};
    throw new InputError(place, `client certificate and key cannot be used: ${String(error)}`);
  }
}
