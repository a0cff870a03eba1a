// Defines the connection to one API server: requests, answers and connection errors.

/** One answer. Its body is read once, or given up by leaving the loop; both free the connection. */
export interface ApiAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface ApiRequest {
  readonly method: "GET" | "POST" | "PATCH";
  /** Path below the server's address, with its query: `/api/v1/services?watch=true`. */
  readonly path: string;
  /** JSON text, with its type where that is not `application/json`. */
  readonly body?: string;
  readonly contentType?: string;
  /** Ends the request at any time, the reading of its body too. */
  readonly signal: AbortSignal;
  /** Called once with the milliseconds that the request waited for its turn, before it is sent. */
  readonly onThrottled?: (waited: number) => void;
}

/** A way to one API server with one identity. */
export interface ApiConnection {
  /** For people: `https://10.0.0.1:6443`. Never a secret. */
  readonly server: string;
  /**
   * Sends a request; any status is an answer. After a 401 the credentials are read again and the request is sent once
   * more. Rejects with ConnectionError when there is no answer.
   */
  send(request: ApiRequest): Promise<ApiAnswer>;
  /**
   * Calls the listener each time a connection to the server is established: TCP is connected and, for https, the TLS
   * handshake is complete. Returns a function that removes the listener.
   */
  onConnected(listener: () => void): () => void;
  close(): Promise<void>;
}

/**
 * How far a request got before it failed. `connect`: nothing of it was sent, because the credentials cannot be read, the
 * name cannot be resolved, or TCP, proxy or TLS fail. `request`: sent at least in part, without an answer. `answer`: the
 * answer's headers arrived, but its body did not end properly.
 */
export type RequestPhase = "connect" | "request" | "answer";

/** A request without a complete answer. The message names the server and the reason, never a secret. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** The system's code, such as `ECONNREFUSED`, that of TLS, such as `CERT_HAS_EXPIRED`, or `CREDENTIALS`. */
  readonly code: string;

  readonly phase: RequestPhase;

  constructor(server: string, code: string, reason: string, phase: RequestPhase) {
    super(`${server}: ${reason}`);
    this.code = code;
    this.phase = phase;
  }
}
