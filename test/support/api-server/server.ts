// Starts the API server of the tests: real HTTP/1.1 and HTTP/2 on loopback, with faults on demand.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Http2Session } from "node:http2";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { TLSSocket, type TlsOptions } from "node:tls";
import { destroyAll, makeTlsServer, socketOf } from "../tls-server.ts";
import { Answer, buildStatus } from "./answer.ts";
import { type Fault, Faults, type Request, type Verb } from "./faults.ts";
import { type Listed, Lists } from "./list-answer.ts";
import { type ApiIdentity, type ApiObject, Store } from "./store.ts";
import { Watch } from "./watch-answer.ts";

export interface ApiServerOptions {
  /** Requests without this bearer token are refused with 401. It can be changed later. */
  readonly token?: string;
  /** HTTPS with these; `ca` and `requestCert` ask for client certificates, and who has none gets 401. */
  readonly tls?: TlsOptions;
  /** With `tls`: offers HTTP/2 (the default), only HTTP/1.1, or nothing, as a server without ALPN. */
  readonly alpn?: "h2" | "http/1.1" | "none";
  /** Knows `sendInitialEvents`; true unless said. */
  readonly streamsLists?: boolean;
  /** How a watch from a version that is gone is refused; as an event unless said. */
  readonly goneAs?: "status" | "event";
}

/** What was written to `events`. */
export interface WrittenEvent {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: unknown;
}

export interface ApiServer {
  readonly url: string;
  /** All requests so far, in order. */
  readonly requests: readonly Request[];
  readonly events: readonly WrittenEvent[];
  readonly store: Store;
  set(object: ApiObject): string;
  delete(identity: ApiIdentity): void;
  /** Only later requests are hit. */
  fault(fault: Fault): void;
  clearFaults(): void;
  /** Forgets the past: no older version can be watched on from, no list be continued. */
  compact(): void;
  /** Sends a bookmark to every watch. */
  bookmark(): void;
  /** Ends every watch as if its time were over. */
  endWatches(): void;
  /** Breaks the connection of every watch. */
  dropWatches(): void;
  /** Sends GOAWAY on each HTTP/2 connection: what is under way continues, new requests must use a new connection. */
  goAway(): void;
  /** How many watches are open. */
  watches(): number;
  expectToken(token: string): void;
  /** Breaks all connections and refuses new ones, as when the process is killed. */
  stop(): Promise<void>;
  /** Listens again on the same port, with the same objects. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

const COLLECTIONS: Readonly<Record<string, Listed>> = {
  "/api/v1/services": { kind: "Service", apiVersion: "v1" },
  "/api/v1/nodes": { kind: "Node", apiVersion: "v1" },
  "/apis/discovery.k8s.io/v1/endpointslices": { kind: "EndpointSlice", apiVersion: "discovery.k8s.io/v1" },
};

const PODS = /^\/api\/v1\/namespaces\/([^/]+)\/pods$/;

/** What a path lists; undefined: it is no list. */
function collectionOf(pathname: string): Listed | undefined {
  const [, namespace] = PODS.exec(pathname) ?? [];
  return namespace === undefined ? COLLECTIONS[pathname] : { kind: "Pod", apiVersion: "v1", namespace };
}

const EVENTS = /^\/apis\/events\.k8s\.io\/v1\/namespaces\/[^/]+\/events(\/[^/]+)?$/;

/** Listens on a free port of 127.0.0.1. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const site = new Site(options);
  const sockets = new Set<Socket>();
  const answer = (request: IncomingMessage, response: ServerResponse) => void site.answer(request, response);
  const { tls, alpn = "h2" } = options;
  const server = tls ? makeTlsServer(tls, { alpn, listener: answer }) : createServer(answer);
  for (const event of ["connection", "secureConnection"]) {
    server.on(event, (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    });
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const exposed = site.expose(`${tls ? "https" : "http"}://127.0.0.1:${port}`, async () => {
    destroyAll(sockets);
    await new Promise((resolve) => server.close(resolve));
  });
  const sessions = new Set<Http2Session>();
  server.on("session", (session: Http2Session) => {
    sessions.add(session);
    session.on("close", () => sessions.delete(session));
  });
  const goAway = () => {
    for (const session of sessions) if (!session.destroyed) session.goaway();
  };
  const restart = () => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { ...exposed, goAway, stop: exposed.close, restart };
}

class Site {
  readonly #options: ApiServerOptions;
  readonly #store = new Store();
  readonly #lists = new Lists(this.#store);
  readonly #faults = new Faults();
  readonly #watches = new Set<Watch>();
  readonly #requests: Request[] = [];
  readonly #events: WrittenEvent[] = [];
  #token: string | undefined;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#token = options.token;
  }

  expose(url: string, close: () => Promise<void>): Omit<ApiServer, "stop" | "restart" | "goAway"> {
    const all = (act: (watch: Watch) => void) => {
      for (const watch of [...this.#watches]) act(watch);
    };
    return {
      url,
      requests: this.#requests,
      events: this.#events,
      store: this.#store,
      set: (object) => this.#store.set(object),
      delete: (identity) => this.#store.delete(identity),
      fault: (fault) => this.#faults.add(fault),
      clearFaults: () => this.#faults.clear(),
      compact: () => {
        this.#store.compact();
        this.#lists.expire();
      },
      bookmark: () => all((watch) => watch.bookmark()),
      endWatches: () => all((watch) => watch.end()),
      dropWatches: () => all((watch) => watch.drop()),
      watches: () => this.#watches.size,
      expectToken: (token) => {
        this.#token = token;
      },
      close,
    };
  }

  async answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = message;
    const { pathname, searchParams } = new URL(url, "http://server");
    let isClosed = false;
    response.once("close", () => {
      isClosed = true;
    });
    const body = await text(message).catch(() => "");
    // A watch on a connection that is closed already would count as open for ever.
    if (isClosed) return;
    const resource = pathname.replace(/^.*\/(services|nodes|endpointslices|events|pods)(\/.*)?$/, "$1");
    const request = { method, url, verb: verbOf(method, pathname, searchParams), resource };
    this.#requests.push(request);
    const answer = new Answer(response, this.#faults.take(request));
    const { trouble } = answer;
    if (!this.#isKnown(message)) answer.refuse(401, buildStatus(401, "Unauthorized"));
    else if (trouble?.type === "status") {
      const headers = trouble.retryAfter === undefined ? {} : { "retry-after": trouble.retryAfter };
      answer.refuse(trouble.code, buildStatus(trouble.code, trouble.reason), headers);
    } else if (trouble?.type === "hang") return;
    else if (EVENTS.test(pathname)) this.#keepEvent(message, { answer, body });
    else if (trouble?.type === "body" && request.verb !== "watch") {
      answer.begin();
      await answer.write(trouble.text);
      await answer.end();
    } else await this.#answerRead(answer, pathname, searchParams);
  }

  #isKnown(message: IncomingMessage): boolean {
    const { headers } = message;
    const socket = socketOf(message);
    const certified = !this.#options.tls?.requestCert || (socket instanceof TLSSocket && socket.authorized);
    return certified && (this.#token === undefined || headers.authorization === `Bearer ${this.#token}`);
  }

  async #answerRead(answer: Answer, pathname: string, query: URLSearchParams): Promise<void> {
    const kind = collectionOf(pathname);
    if (!kind) return this.#answerOne(answer, pathname);
    if (query.get("watch") === "true") return this.#openWatch(answer, kind, query);
    await this.#lists.answer(answer, kind, query);
  }

  async #answerOne(answer: Answer, pathname: string): Promise<void> {
    const [, name = ""] = /^\/api\/v1\/nodes\/([^/]+)$/.exec(pathname) ?? [];
    const object = this.#store.find({ kind: "Node", name });
    if (!object) return answer.refuse(404, buildStatus(404, "NotFound"));
    answer.begin();
    await answer.write(JSON.stringify(object));
    await answer.end();
  }

  #openWatch(answer: Answer, kind: Listed, query: URLSearchParams): void {
    const streamed = query.get("sendInitialEvents") === "true";
    const version = Number(query.get("resourceVersion") ?? 0);
    const gone = !streamed && version < this.#store.compacted;
    // What an older server says of a parameter that it does not know together with one that it does.
    if (streamed && this.#options.streamsLists === false) answer.refuse(422, buildStatus(422, "Invalid"));
    else if (gone && this.#options.goneAs === "status") answer.refuse(410, buildStatus(410, "Expired"));
    else {
      const watch = new Watch(answer, kind, { store: this.#store, query });
      this.#watches.add(watch);
      answer.onClose(() => this.#watches.delete(watch));
      watch.open(gone ? { type: "gone" } : streamed ? { type: "streamed" } : { type: "version", version });
    }
  }

  #keepEvent({ method = "", url = "", headers }: IncomingMessage, { answer, body }: { answer: Answer; body: string }) {
    const sent: unknown = JSON.parse(body);
    this.#events.push({ method, path: url, contentType: headers["content-type"] ?? "", body: sent });
    answer.begin(method === "POST" ? 201 : 200);
    void answer.write(body).then(() => answer.end());
  }
}

function verbOf(method: string, pathname: string, query: URLSearchParams): Verb {
  if (method === "POST") return "create";
  if (method === "PATCH") return "patch";
  if (query.get("watch") === "true") return "watch";
  return collectionOf(pathname) ? "list" : "get";
}
