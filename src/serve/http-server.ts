// HTTP servers of the daemon: limits on connections and on slow clients, and the translation of requests and answers.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Log } from "../sync/log.ts";
import type { Clock } from "../sync/schedule.ts";
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

/** Milliseconds in which a new connection is not closed for another one: its client may not have sent its request yet. */
const GRACE = 250;

/** Connections that may be open for the length of `GRACE`. */
const MAX_BURST = 4_096;

/**
 * The shares of RLIMIT_NOFILE that connections may take, usually and in a burst. The rest is for listeners, netlink
 * sockets, and the pipes of iptables-restore. libuv resets connections beyond the limit without telling us, so it must
 * not be reached.
 */
const FILE_SHARE = 1 / 4;
const BURST_SHARE = 1 / 2;

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
  const listening = `${host === "everywhere" ? "" : host}:${port}`;
  server.on("error", ({ message }) => log.error({ address: listening, err: message }, "Cannot accept a connection"));
  return { close: () => close(server) };
}

type Socket = IncomingMessage["socket"];

interface Connection {
  readonly peer: string;
  /** By the clock. */
  readonly accepted: number;
  /** A request was received and is not answered yet. */
  busy: boolean;
}

export interface ConnectionsInput {
  /** RLIMIT_NOFILE of this process. */
  readonly maxOpenFiles: number;
  readonly clock: Clock;
}

/**
 * The open connections of all servers of this process. Above a limit the oldest idle connections are closed, of the
 * peers that are above theirs or of all; requests that are being answered only where none is idle. A new connection has
 * some time for its request before that, so a client is answered however many connections others, or others behind the
 * same address, open and hold.
 */
export class Connections {
  /** In the order in which they became idle or busy. */
  readonly #open = new Map<Socket, Connection>();
  readonly #perPeer = new Map<string, number>();
  readonly #clock: Clock;
  readonly #most: number;
  readonly #mostPerPeer: number;
  readonly #mostInBurst: number;
  #isTrimDue = false;

  constructor({ maxOpenFiles, clock }: ConnectionsInput) {
    this.#clock = clock;
    this.#most = Math.min(MAX_CONNECTIONS, Math.floor(maxOpenFiles * FILE_SHARE));
    this.#mostPerPeer = Math.min(MAX_CONNECTIONS_PER_PEER, Math.floor(this.#most / 2));
    this.#mostInBurst = Math.min(MAX_BURST, Math.floor(maxOpenFiles * BURST_SHARE));
  }

  /** A connection was accepted. */
  add(socket: Socket): void {
    // There is none when the client is gone already.
    const peer = `${socket.remoteAddress}`;
    const connection = { peer, accepted: this.#clock.now(), busy: false };
    this.#open.set(socket, connection);
    this.#perPeer.set(peer, this.#countOf(peer) + 1);
    socket.once("close", () => this.#remove(socket));
    if (this.#open.size > this.#mostInBurst) this.#closeOldestIdle();
    if (this.#exceeds(connection)) this.#trimLater();
  }

  /** A request was received. */
  began(socket: Socket): void {
    this.#move(socket, true);
  }

  /** The answer was handed to the kernel; reading it is the client's business. */
  answered(socket: Socket): void {
    this.#move(socket, false);
  }

  #trimLater(): void {
    if (this.#isTrimDue) return;
    this.#isTrimDue = true;
    this.#clock.after(GRACE, () => {
      this.#isTrimDue = false;
      this.#trim(isIdle);
      if (!this.#exceeding().some(isIdle)) this.#trim(() => true);
      if (this.#exceeding().length > 0) this.#trimLater();
    });
  }

  /** Closes connections beyond their grace, the oldest first, until no limit is exceeded any more. */
  #trim(matches: (connection: Connection) => boolean): void {
    const latest = this.#clock.now() - GRACE;
    for (const [socket, connection] of this.#open) {
      if (connection.accepted <= latest && matches(connection) && this.#exceeds(connection)) this.#close(socket);
    }
  }

  #exceeding(): readonly Connection[] {
    return [...this.#open.values()].filter((connection) => this.#exceeds(connection));
  }

  #exceeds({ peer }: Connection): boolean {
    return this.#open.size > this.#most || this.#countOf(peer) > this.#mostPerPeer;
  }

  /** The new connection is idle itself. */
  #closeOldestIdle(): void {
    for (const [socket, connection] of this.#open) {
      if (!isIdle(connection)) continue;
      this.#close(socket);
      return;
    }
  }

  #close(socket: Socket): void {
    socket.destroy();
    this.#remove(socket);
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

function isIdle({ busy }: Connection): boolean {
  return !busy;
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
    log.error({ path: question.path, err: String(error) }, "Cannot answer a request");
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
