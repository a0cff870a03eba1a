// Reports the method, status and duration of each request to the API server, for metrics.
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
    const told = (code?: number) => {
      const elapsed = watches ? {} : { elapsed: timing.now() - begin };
      note({ host, method, ...(code !== undefined && { code }), ...elapsed });
    };
    try {
      const answer = await connection.send(request);
      if (!watches) return { ...answer, body: thenTold(answer.body, () => told(answer.status)) };
      told(answer.status);
      return answer;
    } catch (error) {
      told();
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

async function* thenTold(
  body: AsyncIterable<Uint8Array>,
  told: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } finally {
    told();
  }
}
