// How is the API server spoken to, whoever we are and however we get there?

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
  close(): Promise<void>;
}

/** There was no answer, or no end of one. The text names the server and the reason, never a secret. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** The system's code, such as `ECONNREFUSED`, that of TLS, such as `CERT_HAS_EXPIRED`, or `CREDENTIALS`. */
  readonly code: string;

  constructor(server: string, code: string, reason: string) {
    super(`${server}: ${reason}`);
    this.code = code;
  }
}
