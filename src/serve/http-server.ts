// How do answers get to those who ask, without anybody being able to ask too much?
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Log } from "../sync/log.ts";
import { type Answer, type Answerer, plainText, type Question } from "./answer.ts";

/** Milliseconds and bytes: for a head, for a whole question, and for a connection on which nobody asks. */
const LIMITS = { maxHeaderSize: 16_384, headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 65_000 };

/** Connections of one server at a time; further ones are closed at once. */
const MOST_CONNECTIONS = 256;

/** Milliseconds between two looks for slow clients. */
const SWEEP = 5_000;

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
  /** Milliseconds between two looks for slow clients: many servers of one process look less often. */
  readonly sweep?: number;
}

/** A server that listens. */
export interface Listening {
  /** Ends every connection too. */
  close(): Promise<void>;
}

/** Rejects with the system's error when the place cannot be had. */
export async function listen({ place, answer, log, sweep = SWEEP }: ListenInput): Promise<Listening> {
  const server = createServer({ ...LIMITS, connectionsCheckingInterval: sweep }, async (request, response) => {
    const { status, headers, body } = await answerSafely(answer, questionOf(request), log);
    response.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) }).end(body);
  });
  server.maxConnections = MOST_CONNECTIONS;
  const { host, port, ipv6Only = false } = place;
  server.listen(host === "everywhere" ? { port } : { host, port, ipv6Only });
  await once(server, "listening");
  // The kernel cannot take a connection, for want of memory for one: others may come all the same.
  server.on("error", ({ message }) => log.error({ err: message }, "Cannot accept a connection"));
  return { close: () => close(server) };
}

async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

/** A fault of ours in one answer must not be a way to end the daemon from outside. */
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
    // Of a client that is gone already there is none.
    peer: `${request.socket.remoteAddress}`,
    body: (limit) => readBody(request, limit),
  };
}

async function readBody(request: IncomingMessage, limit: number): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // The connection must outlive what is too long, for the answer.
  const body: AsyncIterable<Uint8Array> = request.iterator({ destroyOnReturn: false });
  for await (const part of body) {
    size += part.length;
    if (size > limit) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
