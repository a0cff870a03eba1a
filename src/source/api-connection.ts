// Connects to the API server that the operator chose: kubeconfig, --master or the cluster of this pod.
import type { Access } from "./access.ts";
import { type ApiAnswer, type ApiConnection, type ApiRequest, ConnectionError } from "./connection.ts";
import { failureOf } from "./connection-failure.ts";
import { type Credential, Credentials } from "./credentials.ts";
import { proxyFor } from "./environment-proxy.ts";
import type { PluginCall } from "./exec-credential.ts";
import { Transport } from "./http/transport.ts";
import { type PodSurroundings, readInCluster } from "./in-cluster.ts";
import { readKubeconfig } from "./kubeconfig.ts";
import { type Rate, RequestRate } from "./request-rate.ts";
import { printServer, readServer } from "./server-address.ts";
import { systemTiming, type Timing } from "./timing.ts";

/** Which cluster, and how to come there. */
export interface ClusterChoice {
  /** Path of a kubeconfig; empty: none. */
  readonly client: Rate & { readonly kubeconfig: string };
  /** URL of the API server, goes before that of the kubeconfig; empty: none. */
  readonly master: string;
  readonly userAgent: string;
  /** Tells people, without secrets, what they should know. */
  readonly warn: (text: string) => void;
  /** Called after each run of a credential plugin. */
  readonly pluginCalled?: (call: PluginCall) => void;
  readonly timing?: Timing;
  /** Our own where it is left out: proxies, and, inside of a Pod, its cluster. */
  readonly pod?: PodSurroundings;
}

/**
 * Reads who we are and where the server is; the server itself is not asked yet. Without kubeconfig and master it is the
 * cluster that we run in. JSON is spoken whatever content type is configured. Rejects with InputError, which names the
 * file and field and no secret, for what cannot be used.
 */
export async function connectCluster(choice: ClusterChoice): Promise<ApiConnection> {
  const { client, userAgent, warn, pluginCalled, timing = systemTiming, pod = { environment: process.env } } = choice;
  const access = await readAccess(choice, pod);
  const server = printServer(access.server);
  if (access.insecure) warn(`${server}: the certificate of the server is not checked (insecure-skip-tls-verify)`);
  const proxy = access.proxy ?? proxyFor(access.server, pod.environment);
  const credentials = new Credentials(access, { timing, warn, ...(pluginCalled && { pluginCalled }) });
  // As in client-go: any value but the empty one disables HTTP/2.
  const http2 = !pod.environment["DISABLE_HTTP2"];
  const listeners = new Set<() => void>();
  const connected = () => {
    for (const listener of listeners) listener();
  };
  const transport = new Transport({ access, proxy, http2 }, { timing, warn, connected });
  // Unusable files fail the start, not the first request.
  transport.use(await credentials.readFiles());
  return new HttpConnection({
    server,
    userAgent,
    credentials,
    transport,
    listeners,
    rate: new RequestRate(client, timing),
  });
}

async function readAccess({ client, master }: ClusterChoice, pod: PodSurroundings): Promise<Access> {
  if (client.kubeconfig !== "") return await readKubeconfig(client.kubeconfig, master);
  if (master === "") return readInCluster(pod);
  const server = readServer(master, { source: "--master" }, false);
  return { server, insecure: false, identity: { authorization: { type: "none" }, impersonation: {} } };
}

interface Parts {
  readonly server: string;
  readonly userAgent: string;
  readonly credentials: Credentials;
  readonly transport: Transport;
  readonly rate: RequestRate;
  readonly listeners: Set<() => void>;
}

const UNAUTHORIZED = 401;

class HttpConnection implements ApiConnection {
  readonly server: string;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.server = parts.server;
    this.#parts = parts;
  }

  async send(request: ApiRequest): Promise<ApiAnswer> {
    const givenUp = () => new ConnectionError(this.server, "ABORT_ERR", "the request was given up", "request");
    if (request.signal.aborted) throw givenUp();
    try {
      return await orAborted(this.#sendInTurn(request), request.signal, givenUp);
    } catch (error) {
      throw failureOf(this.server, error, "connect");
    }
  }

  onConnected(listener: () => void): () => void {
    const { listeners } = this.#parts;
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#parts.transport.close();
  }

  async #sendInTurn(request: ApiRequest): Promise<ApiAnswer> {
    const { rate, credentials } = this.#parts;
    request.onThrottled?.(await rate.take(request.signal));
    request.signal.throwIfAborted();
    const used = await credentials.current();
    const answer = await this.#sendWithNewest(used, request);
    if (answer.status !== UNAUTHORIZED || !credentials.renewable) return answer;
    await discard(answer);
    credentials.expire(used);
    return await this.#sendAs(await credentials.current(), request);
  }

  /** Reads certificate files again when no connection succeeds: they may have been replaced together with the server's. */
  async #sendWithNewest(used: Credential, request: ApiRequest): Promise<ApiAnswer> {
    try {
      return await this.#sendAs(used, request);
    } catch (error) {
      if (!(error instanceof ConnectionError) || error.phase !== "connect" || request.signal.aborted) throw error;
      const { credentials } = this.#parts;
      credentials.expireFiles(used);
      const renewed = await credentials.current();
      if (renewed.tls === used.tls) throw error;
      return await this.#sendAs(renewed, request);
    }
  }

  async #sendAs({ tls, headers }: Credential, request: ApiRequest): Promise<ApiAnswer> {
    const { userAgent, transport } = this.#parts;
    const { body, contentType = "application/json" } = request;
    return await transport.use(tls).send(request, {
      accept: "application/json",
      "user-agent": userAgent,
      ...headers,
      ...(body !== undefined && { "content-type": contentType }),
    });
  }
}

// Reading one piece and leaving ends the connection.
async function discard({ body }: ApiAnswer): Promise<void> {
  for await (const _ of body) return;
}

/** The same promise, but rejected with this failure as soon as the signal is aborted. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal, failure: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(failure());
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
