// Starts HTTP servers for tests, which record each request: HTTP/1.1, or with TLS also HTTP/2 by ALPN.
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createSecureServer, type Http2Session, type ServerHttp2Stream, type Settings } from "node:http2";
import type { AddressInfo, Server as NetServer, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { createServer as createTlsServer, TLSSocket, type TlsOptions } from "node:tls";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";

/** A file of `fixtures/tls`. */
export function tlsFile(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url));
}

export function tlsText(name: string): string {
  return readFileSync(tlsFile(name), "utf8");
}

/** A request as it arrived. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Common name of the client certificate; empty: none was shown, or none that we trust. */
  readonly as: string;
  /** Number of the connection it came over, from 1. */
  readonly connection: number;
  /** `1.1` or `2.0`. */
  readonly httpVersion: string;
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly asked: readonly Asked[];
  readonly server: NetServer;
  /** Open connections. */
  readonly sockets: ReadonlySet<Socket>;
}

export interface ServerWish {
  /** Shows this certificate of `fixtures/tls`; left out: speaks plain HTTP. */
  readonly certificate?: "server" | "named" | "replaced";
  /** Left out: any free port. */
  readonly port?: number;
  /** With a certificate: offers HTTP/2 (the default), only HTTP/1.1, or nothing, as a server without ALPN. */
  readonly alpn?: "h2" | "http/1.1" | "none";
  /** For HTTP/2. */
  readonly settings?: Settings;
  /** Left out: 200 with the text `ok`. */
  readonly answer?: (asked: Asked, response: ServerResponse, request: IncomingMessage) => void;
}

/** Listens on a free port of 127.0.0.1 until the test ends. */
export async function startServer(
  t: Test,
  { certificate, alpn = "h2", settings, port: wanted = 0, answer = sayOk }: ServerWish = {},
): Promise<TestServer> {
  const asked: Asked[] = [];
  const connections = new Map<Socket, number>();
  const listener: RequestListener = async (request, response) => {
    const { method = "", url: path = "", headers, httpVersion } = request;
    const socket = socketOf(request);
    const connection = connections.get(socket) ?? connections.size + 1;
    connections.set(socket, connection);
    const body = await text(request);
    const one = { method, path, headers, body, as: commonName(socket), connection, httpVersion };
    asked.push(one);
    answer(one, response, request);
  };
  const server = certificate
    ? makeTlsServer(serverTls(certificate), { alpn, settings, listener })
    : createServer(listener);
  const sockets = new Set<Socket>();
  const port = await listen(t, server, { sockets, port: wanted });
  return { url: `${certificate ? "https" : "http"}://127.0.0.1:${port}`, port, asked, server, sockets };
}

interface TlsServerOptions {
  readonly alpn: "h2" | "http/1.1" | "none";
  readonly settings?: Settings | undefined;
  readonly listener: RequestListener;
}

/** Makes a server for HTTP/1.1 and, unless `alpn` says otherwise, HTTP/2. */
export function makeTlsServer(tls: TlsOptions, { alpn, settings, listener }: TlsServerOptions): NetServer {
  if (alpn !== "h2") {
    const http = createServer(listener);
    const protocols = alpn === "none" ? {} : { ALPNProtocols: [alpn] };
    return createTlsServer({ ...tls, ...protocols }, (socket) => http.emit("connection", socket));
  }
  const server = createSecureServer({ ...tls, allowHTTP1: true, ...(settings && { settings }) });
  let accepted: TLSSocket;
  server.prependListener("secureConnection", (socket) => {
    accepted = socket;
  });
  // node:http2 gives only a proxy of the socket, which cannot be destroyed.
  server.on("session", (session) => sessionSockets.set(session, accepted));
  server.on("sessionError", () => {});
  // Its requests and responses behave as those of node:http, but their types differ.
  server.on("request", (...args) => Reflect.apply(listener, undefined, args));
  return server;
}

const sessionSockets = new WeakMap<Http2Session, TLSSocket>();

/** The socket of the connection that a request came over: a TLSSocket for HTTPS. */
export function socketOf(request: IncomingMessage): Socket {
  const stream: ServerHttp2Stream | undefined = Reflect.get(request, "stream");
  return (stream?.session && sessionSockets.get(stream.session)) ?? request.socket;
}

/** Starts a server on 127.0.0.1, on a free port unless one is given, and ends it and all its connections with the test. */
export async function listen(
  t: Test,
  server: NetServer,
  { sockets = new Set<Socket>(), port = 0 }: { readonly sockets?: Set<Socket>; readonly port?: number } = {},
): Promise<number> {
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  t.teardown(() => {
    destroyAll(sockets);
    server.close();
  });
  return portOf(server);
}

export function destroyAll(sockets: Iterable<Socket>): void {
  for (const socket of sockets) socket.destroy();
}

function portOf(server: NetServer): number {
  return (server.address() as AddressInfo).port;
}

/** TLS of a server that shows this certificate of `fixtures/tls` and asks for that of the client. */
export function serverTls(certificate: string): TlsOptions {
  const pair = { cert: tlsText(`${certificate}.pem`), key: tlsText(`${certificate}.key`) };
  return { ...pair, ca: tlsText("authority.pem"), requestCert: true, rejectUnauthorized: false };
}

function commonName(socket: Socket): string {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return "";
  return String(socket.getPeerCertificate().subject?.CN ?? "");
}

function sayOk(_asked: Asked, response: ServerResponse): void {
  response.end("ok");
}
