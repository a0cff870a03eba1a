// HTTP servers of the daemon: limits on connections and on slow clients, and the translation of requests and answers.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Log } from "../sync/log.ts";
import { type Answer, type Answerer, plainText, type Question } from "./answer.ts";

/** In milliseconds and bytes. Node checks the time-outs of headers and requests every `connectionsCheckingInterval`. */
const LIMITS = {
  maxHeaderSize: 16_384,
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
};

/** Milliseconds in which a client must read some of its answer. */
const READ_TIMEOUT = 30_000;

/** Connections of all servers of this process together, and those of one address. */
const MAX_CONNECTIONS = 512;
const MAX_CONNECTIONS_PER_PEER = 64;

/**
 * The share of RLIMIT_NOFILE that connections may take. The rest is for listeners, netlink sockets, and the pipes of
 * iptables-restore. libuv resets connections beyond the limit without telling us, so it must not be reached.
 */
const FILE_SHARE = 1 / 4;

/** Connections that may wait to be accepted, as in Go's net package; the kernel lowers it to `net.core.somaxconn`. */
const BACKLOG = 4_096;

/** `everywhere`: one socket for both families where the kernel has IPv6, else one of IPv4. */
export interface Place {
  readonly host: string | "everywhere";
  readonly port: number;
  /** Leave IPv4 to others at the wildcard of IPv6. */
  readonly ipv6Only?: boolean;
}

export interface ListenInput {
  readonly place: Place;
  readonly answer: Answerer;
  readonly log: Log;
  /** The connections of all servers of this process. */
  readonly connections: Connections;
  /** Whether a client may send another request on the same connection. */
  readonly keepAlive: boolean;
}

/** A server that listens. */
export interface Listening {
  /** Ends every connection too. */
  close(): Promise<void>;
}

/** Rejects with the system's error when the address cannot be bound. */
export async function listen(input: ListenInput): Promise<Listening> {
  const { place, answer, log, connections, keepAlive } = input;
  const server = createServer(LIMITS, async (request, response) => {
    const { socket } = request;
    connections.began(socket);
    socket.setTimeout(0);
    const { status, headers, body } = await answerSafely(answer, questionOf(request), log);
    response.writeHead(status, {
      ...headers,
      ...(!keepAlive && { Connection: "close" }),
      "Content-Length": Buffer.byteLength(body),
    });
    response.end(body);
    socket.setTimeout(READ_TIMEOUT);
    connections.answered(socket);
  });
  server.on("connection", (socket) => connections.add(socket));
  const { host, port, ipv6Only = false } = place;
  const address = host === "everywhere" ? { port } : { host, port, ipv6Only };
  server.listen({ ...address, backlog: BACKLOG });
  await once(server, "listening");
  // ENOMEM or ENOBUFS: later connections may be accepted again.
  server.on("error", ({ message }) => log.error({ err: message }, "Cannot accept a connection"));
  return { close: () => close(server) };
}

type Socket = IncomingMessage["socket"];

interface Connection {
  readonly peer: string;
  /** A request was received and is not answered yet. */
  busy: boolean;
}

/**
 * The open connections of all servers of this process. At its limit the oldest idle connection gives way to a new one,
 * of the same peer where that peer is at its own limit; only where none is idle, the oldest of all. So a client is
 * answered however many connections others, or others behind the same address, hold open.
 */
export class Connections {
  /** In the order in which they became idle or busy. */
  readonly #open = new Map<Socket, Connection>();
  readonly #perPeer = new Map<string, number>();
  readonly #most: number;
  readonly #mostPerPeer: number;

  /** `maxOpenFiles`: RLIMIT_NOFILE of this process. */
  constructor(maxOpenFiles: number) {
    this.#most = Math.min(MAX_CONNECTIONS, Math.floor(maxOpenFiles * FILE_SHARE));
    this.#mostPerPeer = Math.min(MAX_CONNECTIONS_PER_PEER, Math.floor(this.#most / 2));
  }

  /** A connection was accepted. */
  add(socket: Socket): void {
    // There is none when the client is gone already.
    const peer = `${socket.remoteAddress}`;
    if (this.#countOf(peer) >= this.#mostPerPeer) this.#evict((connection) => connection.peer === peer);
    else if (this.#open.size >= this.#most) this.#evict(() => true);
    this.#open.set(socket, { peer, busy: false });
    this.#perPeer.set(peer, this.#countOf(peer) + 1);
    socket.once("close", () => this.#remove(socket));
  }

  /** A request was received. */
  began(socket: Socket): void {
    this.#move(socket, true);
  }

  /** The answer was handed to the kernel; reading it is the client's business. */
  answered(socket: Socket): void {
    this.#move(socket, false);
  }

  #evict(matches: (connection: Connection) => boolean): void {
    let oldest: Socket | undefined;
    for (const [socket, connection] of this.#open) {
      if (!matches(connection)) continue;
      oldest ??= socket;
      if (connection.busy) continue;
      oldest = socket;
      break;
    }
    if (!oldest) return;
    oldest.destroy();
    this.#remove(oldest);
  }

  #move(socket: Socket, busy: boolean): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.busy = busy;
    this.#open.delete(socket);
    this.#open.set(socket, connection);
  }

  #remove(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    this.#open.delete(socket);
    const left = this.#countOf(connection.peer) - 1;
    if (left === 0) this.#perPeer.delete(connection.peer);
    else this.#perPeer.set(connection.peer, left);
  }

  #countOf(peer: string): number {
    return this.#perPeer.get(peer) ?? 0;
  }
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

/** An exception in one answer must not end the daemon. */
async function answerSafely(answer: Answerer, question: Question, log: Log): Promise<Answer> {
  try {
    return await answer(question);
  } catch (error) {
    log.error({ path: question.path, err: String(error) }, "Cannot answer");
    return plainText("internal error\n", 500);
  }
}

function questionOf(request: IncomingMessage): Question {
  const target = `${request.url}`.replace(/^https?:\/\/[^/?]*/i, "");
  return {
    method: `${request.method}`,
    path: target.replace(/\?.*/s, ""),
    query: new URLSearchParams(target.replace(/^[^?]*/, "")),
    accept: request.headers.accept,
    // A client that is gone already has none.
    peer: `${request.socket.remoteAddress}`,
    body: (limit) => readBody(request, limit),
  };
}

async function readBody(request: IncomingMessage, limit: number): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // The connection must outlive a body that is too long, for the answer.
  const body: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false });
  for await (const part of body) {
    size += part.length;
    if (size > limit) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
