// How does a test get a server that tells by whom and how it was asked?
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { TLSSocket } from "node:tls";
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
  /** Which connection it came over, from 1. */
  readonly connection: number;
}

export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly asked: readonly Asked[];
  readonly server: Server;
}

export interface ServerWish {
  /** Shows this certificate of `fixtures/tls`; left out: speaks plain HTTP. */
  readonly certificate?: "server" | "named";
  /** Left out: 200 with the text `ok`. */
  readonly answer?: (asked: Asked, response: ServerResponse, request: IncomingMessage) => void;
}

/** Listens on a free port of 127.0.0.1 until the test ends. */
export async function startServer(t: Test, { certificate, answer = sayOk }: ServerWish = {}): Promise<TestServer> {
  const asked: Asked[] = [];
  const connections = new Map<Socket, number>();
  const listener: RequestListener = async (request, response) => {
    const { socket, method = "", url: path = "", headers } = request;
    const connection = connections.get(socket) ?? connections.size + 1;
    connections.set(socket, connection);
    const body = await text(request);
    const one = { method, path, headers, body, as: commonName(socket), connection };
    asked.push(one);
    answer(one, response, request);
  };
  const server = certificate ? createTlsServer(optionsOf(certificate), listener) : createServer(listener);
  const port = await listen(t, server);
  return { url: `${certificate ? "https" : "http"}://127.0.0.1:${port}`, port, asked, server };
}

/** Starts a server on a free port of 127.0.0.1, and ends it and all its connections with the test. */
export async function listen(t: Test, server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return portOf(server);
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function optionsOf(certificate: string) {
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
