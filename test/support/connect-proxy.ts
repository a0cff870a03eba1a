// Starts HTTP proxies for tests: they open tunnels (CONNECT), forward plain requests, and can hang or black-hole.
import { createServer, request } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type { Test } from "tap";
import { listen, tlsText } from "./tls-server.ts";

export interface ProxyWish {
  /** Shows a certificate that `authority.pem` signed. */
  readonly tls?: boolean;
  /** `Proxy-Authorization` without which it answers 407. */
  readonly authorization?: string;
  /** Takes every tunnel and never says a word. */
  readonly silent?: boolean;
}

export interface TestProxy {
  readonly port: number;
  /** Where tunnels led to and which URLs were asked for, in order. */
  readonly targets: readonly string[];
  /** Later tunnels lead to this port, whatever their target. */
  redirect(port: number): void;
  /** While true, no byte passes through any tunnel in either direction, and none is closed: as in a black hole. */
  hold(held: boolean): void;
}

/** Listens on a free port of 127.0.0.1 until the test ends. Every target is reached on 127.0.0.1. */
export async function startProxy(t: Test, wish: ProxyWish = {}): Promise<TestProxy> {
  const targets: string[] = [];
  const tunnels = new Set<Duplex>();
  let redirected: number | undefined;
  let holds = false;
  const pair = { cert: tlsText("server.pem"), key: tlsText("server.key") };
  const server = wish.tls ? createTlsServer(pair) : createServer();
  const isWelcome = (given: string | undefined) => wish.authorization === undefined || given === wish.authorization;
  server.on("connect", ({ url = "", headers }, socket: Duplex) => {
    socket.on("error", () => {});
    targets.push(url);
    if (wish.silent) return;
    if (!isWelcome(headers["proxy-authorization"])) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const onward = connect(redirected ?? Number(url.split(":").at(-1)), "127.0.0.1");
    onward.on("connect", () => socket.write("HTTP/1.1 200 Connection Established\r\n\r\n"));
    onward.on("error", () => socket.destroy());
    socket.on("close", () => onward.destroy());
    onward.on("close", () => holds || socket.destroy());
    for (const [from, to] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      tunnels.add(from);
      from.on("close", () => tunnels.delete(from));
      from.on("data", (bytes) => to.write(bytes));
      if (holds) from.pause();
    }
  });
  server.on("request", ({ url = "", headers, method }, response) => {
    targets.push(url);
    request(url, { method, headers }, (answer) => answer.pipe(response)).end();
  });
  return {
    port: await listen(t, server),
    targets,
    redirect: (port) => {
      redirected = port;
    },
    hold: (held) => {
      holds = held;
      for (const tunnel of tunnels) held ? tunnel.pause() : tunnel.resume();
    },
  };
}
