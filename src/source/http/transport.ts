// Chooses the connection for each request: HTTP/2 where the server offers it, else HTTP/1.1.
import { InputError } from "../../errors.ts";
import { type ApiAnswer, type ApiRequest, ConnectionError } from "../connection.ts";
import { failureOf } from "../connection-failure.ts";
import type { TlsMaterial } from "../credentials.ts";
import { printServer } from "../server-address.ts";
import type { Timing } from "../timing.ts";
import { Dialer, proxyHeaders, type Target } from "./dial.ts";
import { Http1Connections } from "./http1.ts";
import { Http2Connection } from "./http2.ts";
import { type Headers, type Peer, SendAgain } from "./peer.ts";

export interface TransportDeps {
  readonly timing: Timing;
  readonly warn: (text: string) => void;
  /** Called for each connection that is established. */
  readonly connected: () => void;
}

/** How often one request is sent at most, where the server closes connections or refuses streams. */
const MAX_ATTEMPTS = 4;

/** The connections to one API server, kept for as long as the certificates stay the same. */
export class Transport {
  readonly #target: Target;
  readonly #deps: TransportDeps;
  #current: { readonly tls: TlsMaterial; readonly connections: Connections } | undefined;

  constructor(target: Target, deps: TransportDeps) {
    this.#target = target;
    this.#deps = deps;
  }

  /**
   * Uses these certificates from now on. New certificates mean new connections; requests that are under way over the
   * old ones continue. Throws InputError for certificates that cannot be used, unless there are previous ones: a
   * certificate and its key cannot be replaced in one step, so the previous ones stay in use.
   */
  use(tls: TlsMaterial): Connections {
    const current = this.#current;
    if (current?.tls === tls) return current.connections;
    const connections = this.#makeConnections(tls);
    if (connections !== current?.connections) current?.connections.retire();
    this.#current = { tls, connections };
    return connections;
  }

  /** Closes all connections at once. */
  close(): void {
    this.#current?.connections.destroy();
  }

  #makeConnections(tls: TlsMaterial): Connections {
    try {
      return new Connections(this.#target, tls, this.#deps);
    } catch (error) {
      if (!this.#current || !(error instanceof InputError)) throw error;
      this.#deps.warn(`${error.message}; still using the previous certificates`);
      return this.#current.connections;
    }
  }
}

/** The connections to one API server with one set of certificates. */
export class Connections {
  readonly #dialer: Dialer;
  readonly #deps: TransportDeps;
  readonly #peer: Peer;
  readonly #http1: Http1Connections;
  readonly #closed = new AbortController();
  /** Usually one; more while an old one ends, or where the server accepts few requests at a time. */
  #http2: Http2Connection[] = [];
  /** The next connection is expected to speak HTTP/2, so that all requests can share it. */
  #expectsHttp2: boolean;
  #retired = false;
  #opening: Promise<Http2Connection | undefined> | undefined;

  /** Throws InputError for certificates that cannot be used. */
  constructor(target: Target, tls: TlsMaterial, deps: TransportDeps) {
    this.#dialer = new Dialer(target, tls, deps.timing);
    this.#deps = deps;
    this.#peer = peerOf(target, deps.timing);
    this.#http1 = new Http1Connections(this.#peer);
    this.#expectsHttp2 = target.http2 && target.access.server.protocol === "https:";
  }

  /** Returns the answer as soon as its headers are here; rejects with ConnectionError. */
  async send(request: ApiRequest, headers: Headers): Promise<ApiAnswer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#sendOnce(request, headers);
      } catch (error) {
        if (!(error instanceof SendAgain)) throw failureOf(this.#peer.server, error, "connect");
        if (attempt === MAX_ATTEMPTS) throw error.failure;
      }
    }
  }

  /** Closes each connection as soon as no request uses it. */
  retire(): void {
    this.#retired = true;
    this.#http1.retire();
    for (const connection of this.#http2) connection.retire();
  }

  /** Closes all connections at once. */
  destroy(): void {
    this.#closed.abort();
    this.#http1.destroy();
    for (const connection of this.#http2) connection.destroy();
  }

  async #sendOnce(request: ApiRequest, headers: Headers): Promise<ApiAnswer> {
    for (;;) {
      const http2 =
        this.#http2.find(({ hasRoom }) => hasRoom) ?? (this.#http1.hasIdle ? undefined : await this.#open());
      if (request.signal.aborted)
        throw new ConnectionError(this.#peer.server, "ABORT_ERR", "the request was aborted", "connect");
      if (http2) return await http2.send(request, headers);
      // Another request may have taken the new connection.
      if (this.#http1.hasIdle) return await this.#http1.send(request, headers);
    }
  }

  /** Opens a connection, one for all who wait if it is going to be HTTP/2. Undefined: it is HTTP/1.1 and idle now. */
  #open(): Promise<Http2Connection | undefined> {
    if (!this.#expectsHttp2) return this.#openOne();
    this.#opening ??= this.#openOne().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #openOne(): Promise<Http2Connection | undefined> {
    const { protocol, socket } = await this.#dialer.open(this.#closed.signal);
    this.#deps.connected();
    // The request that waits for this connection is sent first.
    if (this.#retired) setImmediate(() => this.retire());
    this.#expectsHttp2 = protocol === "h2";
    if (protocol === "http/1.1") {
      this.#http1.add(socket);
      return undefined;
    }
    const opened = new Http2Connection(socket, this.#peer);
    this.#http2 = [...this.#http2.filter(({ isOpen }) => isOpen), opened];
    return opened;
  }
}

function peerOf({ access: { server }, proxy }: Target, timing: Timing): Peer {
  const path = server.pathname.replace(/\/$/, "");
  const peer = { server: printServer(server), host: server.host, timing };
  // A plain server behind a proxy is asked for by its whole URL.
  if (server.protocol === "https:" || !proxy) return { ...peer, prefix: path, headers: { host: server.host } };
  return { ...peer, prefix: `${server.origin}${path}`, headers: { host: server.host, ...proxyHeaders(proxy) } };
}
