// Sends requests over one HTTP/2 connection, and detects by PING that the server no longer answers.
import { validateHeaderValue } from "node:http";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from "node:http2";
import type { Socket } from "node:net";
import { type ApiAnswer, type ApiRequest, ConnectionError, type RequestPhase } from "../connection.ts";
import { failureOf } from "../connection-failure.ts";
import { type Headers, type Peer, SendAgain } from "./peer.ts";

const { NGHTTP2_CANCEL, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants;

/**
 * Bytes that the server may send before it waits for us, for one stream (as in Go's net/http) and for the connection.
 * With the 64 kB of node:http2 a list would take one round trip for each 64 kB. They also limit how much can wait
 * unread in our memory.
 */
const STREAM_WINDOW = 4 * 1024 * 1024;
const CONNECTION_WINDOW = 16 * 1024 * 1024;

/** Bytes of one DATA frame: Node calls JavaScript for each of them, and reads from the socket as many at a time. */
const FRAME_SIZE = 65_536;

/** Milliseconds until the headers of an answer. PING shows whether the server is there; it gives up a list after 60 s. */
const ANSWER_LIMIT = 75_000;

/**
 * Liveness: each TICK we look whether anything was received. After two silent ticks we send a PING, and after two more
 * we give the connection up. So a dead connection is detected 20 to 25 s after the last byte. client-go sends a PING
 * after 30 s and waits 15 s.
 */
const TICK = 5000;
const TICKS_BEFORE_PING = 2;
const TICKS_BEFORE_END = 4;

/**
 * Milliseconds until a request must be handed to the socket. Requests are far smaller than the send buffer of a socket,
 * so a longer wait is no congestion. Node 20 and 22 leave a session in this state when a write finds the connection
 * reset: it neither writes nor reads any more, and reports no error.
 */
const WRITE_LIMIT = 1000;

/** Why the connection ended. */
interface Ending {
  readonly code: string;
  readonly reason: string;
}

/** One HTTP/2 connection. */
export class Http2Connection {
  readonly #peer: Peer;
  readonly #socket: Socket;
  readonly #session: ClientHttp2Session;
  #ending: Ending | undefined;
  readonly #streams = new Set<ClientHttp2Stream>();
  #retired = false;
  /** A request was answered over this connection. */
  #proven = false;
  #cancelTick = () => {};

  /** `socket`: established, with "h2" negotiated. */
  constructor(socket: Socket, peer: Peer) {
    this.#peer = peer;
    this.#socket = socket;
    // Registered before node:http2 registers its own, which ends open streams as if they were complete.
    socket.once("error", (error) => this.#noteEnding(failureOf(peer.server, error, "request").code, error.message));
    socket.once("close", () => this.#noteEnding("ECONNRESET", "the server closed the connection"));
    this.#session = connect(`https://${peer.host}`, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW, maxFrameSize: FRAME_SIZE },
    });
    this.#session.once("connect", () => {
      if (this.isOpen) this.#session.setLocalWindowSize(CONNECTION_WINDOW);
    });
    // The streams fail with it, or there are none.
    this.#session.on("error", () => {});
    this.#session.once("close", () => this.#cancelTick());
    this.#watchLiveness(0, 0);
  }

  /** False once the connection has ended or is about to, as after GOAWAY. */
  get isOpen(): boolean {
    return !this.#session.closed && !this.#session.destroyed;
  }

  /** The server accepts one more request now (SETTINGS_MAX_CONCURRENT_STREAMS). */
  get hasRoom(): boolean {
    return (
      this.isOpen &&
      this.#streams.size < (this.#session.remoteSettings.maxConcurrentStreams ?? Number.POSITIVE_INFINITY)
    );
  }

  /**
   * Returns the answer as soon as its headers are here. Rejects with SendAgain when the server did not process the
   * request, and for a GET when it closed a connection that was in use before; else with ConnectionError.
   */
  send(request: ApiRequest, headers: Headers): Promise<ApiAnswer> {
    const { method, body, signal } = request;
    return new Promise((resolve, reject) => {
      const stream = this.#open(request, headers);
      const { timing, server } = this.#peer;
      let failure: ConnectionError | undefined;
      const end = (code: string, reason: string) => {
        failure = new ConnectionError(server, code, reason, "request");
        stream.close(NGHTTP2_CANCEL);
        stream.destroy(failure);
      };
      const abort = () => end("ABORT_ERR", "the request was aborted");
      const cancel = timing.after(ANSWER_LIMIT, () => end("ETIMEDOUT", `no answer within ${ANSWER_LIMIT / 1000} s`));
      const cancelWrite = timing.after(WRITE_LIMIT, () => this.#endIfStuck());
      signal.addEventListener("abort", abort);
      this.#streams.add(stream);
      stream.once("response", (received) => {
        cancel();
        cancelWrite();
        this.#proven = true;
        resolve({ ...headOf(received), body: this.#readBody(stream) });
      });
      // Its error is that of the answer's reader, or of "close" where there is no answer.
      stream.on("error", (error) => {
        failure ??= this.#failureOf(error, "request");
      });
      stream.once("close", () => {
        cancel();
        cancelWrite();
        signal.removeEventListener("abort", abort);
        this.#streams.delete(stream);
        if (this.#retired) this.retire();
        const reason = failure ?? this.#failureOf(closedStream(stream.rstCode), "request");
        const unprocessed = stream.rstCode === NGHTTP2_REFUSED_STREAM;
        const stale = this.#proven && method === "GET" && reason.code === "ECONNRESET";
        reject(unprocessed || stale ? new SendAgain(reason) : reason);
      });
      stream.end(body);
    });
  }

  /** Closes the connection when its last request ends. */
  retire(): void {
    this.#retired = true;
    // Sooner, its GOAWAY would refuse requests that are not sent yet.
    if (this.#streams.size === 0) this.#session.close();
  }

  /** Closes the connection at once. */
  destroy(): void {
    this.#end("ABORT_ERR", "the connection is closed");
  }

  #open({ method, path }: ApiRequest, headers: Headers): ClientHttp2Stream {
    // HTTP/2 could transmit line breaks, which the server would refuse without a word about their cause.
    for (const [name, values] of Object.entries(headers)) {
      for (const value of [values].flat()) validateHeaderValue(name, value);
    }
    const { host, prefix, server } = this.#peer;
    const pseudo = { ":method": method, ":path": `${prefix}${path}`, ":scheme": "https", ":authority": host };
    if (this.isOpen) return this.#session.request({ ...headers, ...pseudo });
    throw new SendAgain(new ConnectionError(server, "ECONNRESET", "the server closed the connection", "request"));
  }

  async *#readBody(stream: ClientHttp2Stream): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of stream.iterator({ destroyOnReturn: false })) yield chunk;
      // node:http2 ends the body of a stream that was reset as if it were complete.
      if (stream.rstCode !== NGHTTP2_NO_ERROR) throw closedStream(stream.rstCode);
    } catch (error) {
      throw this.#failureOf(error, "answer");
    } finally {
      if (!stream.readableEnded) stream.close(NGHTTP2_CANCEL);
      stream.destroy();
    }
  }

  /** What ended the connection, or else this stream. */
  #failureOf(error: unknown, phase: RequestPhase): ConnectionError {
    const { server } = this.#peer;
    if (this.#ending) return new ConnectionError(server, this.#ending.code, this.#ending.reason, phase);
    return failureOf(server, error, phase);
  }

  #endIfStuck(): void {
    if (this.isOpen && (this.#session.state.outboundQueueSize ?? 0) > 0)
      this.#end("ECONNRESET", `the connection accepts no data for ${WRITE_LIMIT / 1000} s`);
  }

  #watchLiveness(received: number, silentTicks: number): void {
    this.#cancelTick = this.#peer.timing.after(TICK, () => {
      const { bytesRead } = this.#socket;
      const silent = bytesRead === received ? silentTicks + 1 : 0;
      if (silent === TICKS_BEFORE_END) {
        const seconds = ((TICKS_BEFORE_END - TICKS_BEFORE_PING) * TICK) / 1000;
        return this.#end("ETIMEDOUT", `no answer to PING within ${seconds} s`);
      }
      // What is received shows that the server is there; which PING it answers is of no interest.
      if (silent === TICKS_BEFORE_PING) this.#session.ping(() => {});
      else if (silent > TICKS_BEFORE_PING) this.#endIfStuck();
      if (!this.isOpen) return;
      this.#watchLiveness(bytesRead, silent);
    });
  }

  #end(code: string, reason: string): void {
    this.#noteEnding(code, reason);
    this.#session.destroy();
    this.#socket.destroy();
  }

  #noteEnding(code: string, reason: string): void {
    if (this.#ending) return;
    this.#ending = { code, reason };
    const failure = new ConnectionError(this.#peer.server, code, reason, "request");
    for (const stream of this.#streams) if (!stream.closed) stream.destroy(failure);
  }
}

function headOf({
  ":status": status = 0,
  ...headers
}: IncomingHttpHeaders & IncomingHttpStatusHeader): Omit<ApiAnswer, "body"> {
  return { status, headers: new Map(Object.entries(headers).map(([name, value]) => [name, String(value)])) };
}

/** A stream that the server ended with RST_STREAM (RFC 9113 section 7 lists the codes). */
function closedStream(code: number): Error {
  return Object.assign(new Error(`the server reset the stream with error code ${code}`), { code: "ECONNRESET" });
}
