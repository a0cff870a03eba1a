// Reports the method, status, durations and sizes of each request to the API server, for metrics.
import type { ApiAnswer, ApiConnection, ApiRequest } from "./connection.ts";
import { systemTiming, type Timing } from "./timing.ts";

/** One request that was answered, or could not be. */
export interface RequestNote {
  /** Host and port of the server: `10.0.0.1:6443`. */
  readonly host: string;
  readonly method: string;
  /** Status of the answer; absent when there was none. */
  readonly code?: number;
  /** Milliseconds until the answer was read or given up; absent for a watch, whose answer is read for minutes. */
  readonly elapsed?: number;
  /** Milliseconds that the request waited for its turn, because of `clientConnection.qps`; 0 where it did not. */
  readonly throttled: number;
  /** Bytes of the body that was sent, where there was one. */
  readonly requestSize?: number;
  /** Bytes of the answer's body as far as it was read; absent without an answer, and for a watch. */
  readonly responseSize?: number;
}

/** The same connection; `note` is told of each request once, and must neither throw nor wait. */
export function observedConnection(
  connection: ApiConnection,
  note: (request: RequestNote) => void,
  timing: Pick<Timing, "now"> = systemTiming,
): ApiConnection {
  const { host } = new URL(connection.server);
  const send = async (request: ApiRequest): Promise<ApiAnswer> => {
    const begin = timing.now();
    const { method, path } = request;
    const watches = /[?&]watch=/.test(path);
    let throttled = 0;
    const told = (outcome: Pick<RequestNote, "code" | "responseSize">) => {
      const elapsed = watches ? {} : { elapsed: timing.now() - begin };
      const sent = request.body === undefined ? {} : { requestSize: Buffer.byteLength(request.body) };
      note({ host, method, throttled, ...outcome, ...elapsed, ...sent });
    };
    const onThrottled = (waited: number) => {
      throttled = waited;
    };
    try {
      const answer = await connection.send({ ...request, onThrottled });
      const { status: code } = answer;
      if (!watches) return { ...answer, body: counted(answer.body, (responseSize) => told({ code, responseSize })) };
      told({ code });
      return answer;
    } catch (error) {
      told({});
      throw error;
    }
  };
  return {
    server: connection.server,
    send,
    onConnected: (listener) => connection.onConnected(listener),
    close: () => connection.close(),
  };
}

/** The same body; calls back with the bytes that were read when reading ends. */
async function* counted(
  body: AsyncIterable<Uint8Array>,
  ended: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  try {
    for await (const piece of body) {
      bytes += piece.length;
      yield piece;
    }
  } finally {
    ended(bytes);
  }
}
