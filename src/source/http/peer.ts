// Describes the server that the connections lead to.
import type { OutgoingHttpHeaders } from "node:http";
import type { ConnectionError } from "../connection.ts";
import type { Timing } from "../timing.ts";

export type Headers = Readonly<Record<string, string | string[]>>;

/** The server of a connection, as requests over it must name it. */
export interface Peer {
  /** For messages: `https://10.0.0.1:6443`. */
  readonly server: string;
  /** `Host` or `:authority`. */
  readonly host: string;
  /** Path of the server's URL, or its whole URL for a plain HTTP proxy; precedes the path of each request. */
  readonly prefix: string;
  readonly headers: OutgoingHttpHeaders;
  readonly timing: Timing;
}

/** The server has not processed the request, or may safely process it twice: it can be sent over another connection. */
export class SendAgain extends Error {
  readonly failure: ConnectionError;

  constructor(failure: ConnectionError) {
    super(failure.message);
    this.failure = failure;
  }
}
