// Sends requests over HTTP/1.1, each over a connection of its own while it lasts.
import { Agent, type IncomingMessage, request as sendHttp } from "node:http";
import type { Socket } from "node:net";
import { type ApiAnswer, type ApiRequest, ConnectionError } from "../connection.ts";
import { failureOf } from "../connection-failure.ts";
import { KEEP_ALIVE_IDLE } from "./dial.ts";
import { type Headers, type Peer, SendAgain } from "./peer.ts";

/**
 * Milliseconds until the headers of an answer. While a request is unacknowledged the kernel sends no keep-alive probes
 * and Node cannot set TCP_USER_TIMEOUT, so this limit alone detects a connection that died under a request. The API
 * server answers a watch at once, and queues a request for at most 15 s.
 */
const ANSWER_LIMIT = 30_000;

/** The HTTP/1.1 connections to one server. */
export class Http1Connections {
  readonly #peer: Peer;
  readonly #agent = new SocketAgent({ keepAlive: true, keepAliveMsecs: KEEP_ALIVE_IDLE });
  readonly #opened = new Set<Socket>();
  /** Why connections broke, which node:http reports as `aborted`. */
  readonly #errors = new WeakMap<Socket, Error>();

  constructor(peer: Peer) {
    this.#peer = peer;
  }

  /** Adds a new connection, for the next request. */
  add(socket: Socket): void {
    this.#opened.add(socket);
    this.#agent.fresh.add(socket);
    socket.once("error", (error) => this.#errors.set(socket, error));
    socket.once("close", () => {
      this.#opened.delete(socket);
      this.#agent.fresh.delete(socket);
    });
  }

  /** A connection is there that no request uses. */
  get hasIdle(): boolean {
    return this.#agent.fresh.size > 0 || this.#free().some(({ destroyed }) => !destroyed);
  }

  /**
   * Sends a request over an idle connection and returns the answer as soon as its headers are here. Rejects with
   * SendAgain for a GET over a connection that the server had closed meanwhile, else with ConnectionError.
   */
  send(request: ApiRequest, headers: Headers): Promise<ApiAnswer> {
    const { server, timing, prefix, headers: own } = this.#peer;
    const { method, path, body, signal } = request;
    return new Promise((resolve, reject) => {
      const target = { agent: this.#agent, method, path: `${prefix}${path}`, signal };
      const sent = sendHttp({ ...target, headers: { ...own, ...headers } });
      const cancel = timing.after(ANSWER_LIMIT, () => {
        const reason = `no answer within ${ANSWER_LIMIT / 1000} s`;
        sent.destroy(new ConnectionError(server, "ETIMEDOUT", reason, "request"));
      });
      sent.once("response", (response) => {
        cancel();
        resolve({ ...headOf(response), body: this.#readBody(response) });
      });
      sent.on("error", (error) => {
        cancel();
        const failure = failureOf(server, error, "request");
        const stale = sent.reusedSocket && method === "GET" && wasClosed(failure);
        reject(stale ? new SendAgain(failure) : failure);
      });
      sent.end(body);
    });
  }

  /** Closes each connection as soon as no request uses it. */
  retire(): void {
    this.#agent.maxFreeSockets = 0;
    for (const socket of [...this.#agent.fresh, ...this.#free()]) socket.destroy();
  }

  /** Closes all connections at once. */
  destroy(): void {
    for (const socket of this.#opened) socket.destroy();
  }

  async *#readBody(response: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
    const { socket } = response;
    try {
      for await (const chunk of response) yield chunk;
    } catch (error) {
      const { server } = this.#peer;
      const cause = this.#errors.get(socket);
      if (cause) throw failureOf(server, cause, "answer");
      const { code } = failureOf(server, error, "answer");
      throw new ConnectionError(server, code, "the connection was closed before the end of the answer", "answer");
    }
  }

  #free(): readonly Socket[] {
    return Object.values(this.#agent.freeSockets).flatMap((sockets) => sockets ?? []);
  }
}

/** Keeps idle connections, and takes new ones from those that are already established. */
class SocketAgent extends Agent {
  readonly fresh = new Set<Socket>();

  override createConnection(): Socket | undefined {
    const [socket] = this.fresh;
    if (socket) this.fresh.delete(socket);
    return socket;
  }
}

function wasClosed({ code }: ConnectionError): boolean {
  return code === "ECONNRESET" || code === "EPIPE";
}

function headOf({ headers, statusCode = 0 }: IncomingMessage): Omit<ApiAnswer, "body"> {
  const entries = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { status: statusCode, headers: new Map(entries) };
}
