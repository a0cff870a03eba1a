// Sends one request over HTTP/1.1 and reads its answer.
import type { IncomingMessage } from "node:http";
import { type ApiAnswer, type ApiRequest, ConnectionError, type RequestPhase } from "./connection.ts";
import { failureOf } from "./connection-failure.ts";
import { CONNECT_LIMIT, type Route } from "./route.ts";
import type { Timing } from "./timing.ts";

/** Milliseconds from the last byte of a request to the first of its answer; servers give up a list after a minute. */
const ANSWER_LIMIT = 75_000;

/** One sending of a request. */
export interface Sending {
  readonly request: ApiRequest;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly timing: Timing;
  /** For messages. */
  readonly server: string;
  /** Called when a new connection is established for this request. */
  readonly connected: () => void;
}

/**
 * The answer as soon as its head is here. A GET over a connection that the server had closed meanwhile is sent again.
 * Rejects with ConnectionError.
 */
export async function sendRequest(route: Route, sending: Sending): Promise<ApiAnswer> {
  try {
    return answerOf(await sendOnce(route, sending), sending.server);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw failureOf(sending.server, error, "request");
    return await sendRequest(route, sending);
  }
}

/** Another connection may do. */
class StaleConnection extends Error {}

function sendOnce(route: Route, { request, headers, timing, server, connected }: Sending): Promise<IncomingMessage> {
  const { method, path, body, contentType = "application/json", signal } = request;
  return new Promise((resolve, reject) => {
    const { send, agent, host, port, prefix } = route;
    const about = { ...route.headers, ...headers, ...(body !== undefined && { "content-type": contentType }) };
    const sent = send({ method, agent, host, port, path: `${prefix}${path}`, headers: about, signal });
    const giveUp = (what: string, limit: number) => {
      return timing.after(limit, () => {
        sent.destroy(new ConnectionError(server, "ETIMEDOUT", `${what} within ${limit / 1000} seconds`, phase));
      });
    };
    let phase: RequestPhase = "connect";
    let cancel = giveUp("no connection", CONNECT_LIMIT);
    // The whole request is with the system, so the connection stands.
    sent.once("finish", () => {
      if (!sent.reusedSocket) connected();
      phase = "request";
      cancel();
      cancel = giveUp("no answer", ANSWER_LIMIT);
    });
    sent.once("response", (response) => {
      cancel();
      resolve(response);
    });
    sent.on("error", (error) => {
      cancel();
      reject(
        sent.reusedSocket && method === "GET" && wasClosed(error)
          ? new StaleConnection()
          : failureOf(server, error, phase),
      );
    });
    sent.end(body);
  });
}

function wasClosed(error: Error): boolean {
  return "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
}

function answerOf(response: IncomingMessage, server: string): ApiAnswer {
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
  return { status: response.statusCode ?? 0, headers: new Map(headers), body: readBody(response, server) };
}

async function* readBody(response: IncomingMessage, server: string): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const chunk of response) yield chunk;
  } catch (error) {
    throw failureOf(server, error, "answer");
  }
}
