// What does a server answer, byte for byte?
import { once } from "node:events";
import { request } from "node:http";
import { connect, createServer, type Socket } from "node:net";

export interface Asked {
  readonly port: number;
  readonly path?: string;
  readonly host?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answered {
  readonly status: number;
  /** Those that say something of the content; length, date and connection aside. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

const OF_TRANSPORT = new Set(["content-length", "date", "connection", "keep-alive"]);

/** One question over a connection of its own. Rejects when there is no answer. */
export function ask({ port, path = "/", host = "127.0.0.1", method = "GET", headers = {}, body }: Asked) {
  return new Promise<Answered>((resolve, reject) => {
    const asked = request({ host, port, path, method, headers, agent: false }, async (response) => {
      const parts: Uint8Array[] = [];
      for await (const part of response) parts.push(part);
      const told = Object.entries(response.headers).filter(([name]) => !OF_TRANSPORT.has(name));
      const content = Object.fromEntries(told.map(([name, value]) => [name, `${value}`]));
      resolve({ status: response.statusCode ?? 0, headers: content, body: Buffer.concat(parts).toString() });
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

/** A status, or the code of the error when nobody answers. */
export async function statusOf(asked: Asked): Promise<number | string> {
  return ask(asked).then(
    ({ status }) => status,
    (error: NodeJS.ErrnoException) => error.code ?? "",
  );
}

/** A connection over which a test writes what it likes; all that comes back once the other side has ended it. */
export async function speak(port: number, text: string): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(text);
  const parts: Uint8Array[] = [];
  socket.on("data", (part) => parts.push(part));
  socket.on("error", () => {});
  const answer = new Promise<string>((resolve) => {
    socket.on("close", () => resolve(Buffer.concat(parts).toString()));
  });
  return { socket, answer };
}

/** A port that nobody has at this moment, neither in one family nor in the other. */
export async function freePort(): Promise<number> {
  const { port, release } = await occupy();
  await release();
  return port;
}

/** A port that is taken: at that address, or everywhere. */
export async function occupy(host?: string): Promise<{ readonly port: number; readonly release: () => Promise<void> }> {
  const server = createServer();
  server.listen(0, host);
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  const release = async () => {
    const closed = once(server, "close");
    server.close();
    await closed;
  };
  return { port: address.port, release };
}

/** Why tests over IPv6 cannot run here, as tap's `skip` takes it. */
export async function ipv6Skip(): Promise<string | false> {
  const server = createServer();
  server.listen(0, "::1");
  const reason = await once(server, "listening").then(
    () => false as const,
    (error: Error) => `no IPv6 here: ${error.message}`,
  );
  if (reason === false) server.close();
  return reason;
}
