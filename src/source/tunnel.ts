// How is a server reached through a proxy, so that the proxy sees nothing of what is said?
import { type ClientRequestArgs, request as requestPlain } from "node:http";
import { Agent, type AgentOptions, request as requestTls } from "node:https";
import { type Duplex, PassThrough } from "node:stream";
import { type ConnectionOptions, connect } from "node:tls";
import { hostPort } from "../net/address.ts";
import { ConnectionError } from "./connection.ts";
import { hostOf, portOf, printServer } from "./server-address.ts";

/** From a proxy on to a server. */
export interface Way {
  readonly proxy: URL;
  /** How TLS is spoken with the proxy, where its URL says https. */
  readonly proxyTls: ConnectionOptions;
  readonly server: URL;
  /** How TLS is spoken with the server. */
  readonly tls: ConnectionOptions;
  /** Milliseconds until the tunnel must stand. */
  readonly limit: number;
  /** Milliseconds of silence after which the other side is asked whether it is still there. */
  readonly probe: number;
}

/** Keeps connections to a server behind a proxy. */
export class TunnelAgent extends Agent {
  readonly #way: Way;

  constructor(options: AgentOptions, way: Way) {
    super(options);
    this.#way = way;
  }

  override createConnection(
    _options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    openTunnel(this.#way).then(
      (socket) => callback?.(null, connect({ ...this.#way.tls, socket })),
      // The type wants a stream beside an error; nobody looks at it.
      (error: Error) => callback?.(error, new PassThrough()),
    );
  }
}

/** `Proxy-Authorization` for the user that the proxy's URL names. */
export function proxyHeaders({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === "" && password === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}

/** Rejects with ConnectionError when the proxy refuses, else with the system's error. */
function openTunnel({ proxy, proxyTls, server, limit, probe }: Way): Promise<Duplex> {
  const target = hostPort(hostOf(server), portOf(server));
  const speak = proxy.protocol === "https:" ? requestTls : requestPlain;
  return new Promise((resolve, reject) => {
    const refuse = (code: string, reason: string) =>
      reject(new ConnectionError(`proxy ${printServer(proxy)}`, code, reason, "connect"));
    const asked = speak({
      ...proxyTls,
      method: "CONNECT",
      host: hostOf(proxy),
      port: portOf(proxy),
      path: target,
      headers: { host: target, ...proxyHeaders(proxy) },
      agent: false,
      timeout: limit,
    });
    asked.once("connect", ({ statusCode }, socket) => {
      if (statusCode !== 200) {
        socket.destroy();
        return refuse(String(statusCode), `refuses to connect to ${target}: status ${statusCode}`);
      }
      socket.setTimeout(0);
      socket.setKeepAlive(true, probe);
      resolve(socket);
    });
    asked.once("timeout", () => {
      asked.destroy();
      refuse("ETIMEDOUT", "no answer in time");
    });
    asked.on("error", reject);
    asked.end();
  });
}
