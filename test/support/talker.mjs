// Runs echo servers, connections that stay open, and clients that connect again and again, inside a network namespace.
// Requests and answers are JSON lines on standard input and output; the process ends when its input does.
import dgram from "node:dgram";
import net from "node:net";
import readline from "node:readline";

/** Milliseconds without an answer that count as a failure. */
const PATIENCE = 5000;

/** Pause of a client that goes on and on, as a multiple of what its last connection took: others have work to do. */
const REST = 6;

const SHORTEST = 50;

/**
 * Below those that the kernel chooses. It starts anew somewhere else every ten seconds, so that one it chooses may be of
 * a connection that has just ended; and when IPVS forgets that one, it takes the next one's conntrack entry with it.
 */
const FIRST_PORT = 10_000;

/** Open connections, and clients that go on, by the names the test gave them. */
const connections = new Map();
const clients = new Map();
let nextPort = FIRST_PORT;

const ACTIONS = { serve, open, talk, close, begin, more, end };

readline
  .createInterface({ input: process.stdin })
  .on("line", answer)
  .on("close", () => process.exit(0));

async function answer(line) {
  const { id, action, argument } = JSON.parse(line);
  const result = await ACTIONS[action](argument).catch(({ code, message }) => `failed: ${code ?? message}`);
  process.stdout.write(`${JSON.stringify({ id, result: result ?? null })}\n`);
}

/** Listens, and answers each line or datagram with the place that was reached and the client it saw. */
async function serve({ address, port }) {
  const datagrams = dgram.createSocket(address.includes(":") ? "udp6" : "udp4");
  datagrams.on("message", (_, from) => datagrams.send(`${address} for ${from.address}`, from.port, from.address));
  await new Promise((resolve) => datagrams.bind(port, address, resolve));
  const server = net.createServer((socket) => {
    socket.on("error", () => socket.destroy());
    const lines = readline.createInterface({ input: socket });
    lines.on("line", () => socket.writable && socket.write(`${address} for ${socket.remoteAddress}\n`));
    // It repeats the errors of its input.
    lines.on("error", () => {});
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: address, port }, () => resolve());
  });
}

/** A new connection, and what it is answered. */
async function open({ name, ...at }) {
  const connection = await reach(at);
  connections.set(name, connection);
  return connection.ask();
}

function reach({ protocol, address, port }) {
  return protocol === "udp" ? flow(address, port) : connect(address, port);
}

async function talk(name) {
  return connections.get(name).ask();
}

async function close(name) {
  connections.get(name).close();
  connections.delete(name);
}

async function begin({ name, ...at }) {
  const client = { count: 0, failures: [], stopped: false };
  clients.set(name, client);
  client.ended = keepConnecting(client, at);
}

/** Returns when the client has begun so many more connections. */
async function more({ name, times }) {
  const client = clients.get(name);
  const goal = client.count + times;
  while (client.count < goal) await new Promise((resolve) => setTimeout(resolve, SHORTEST));
}

async function end(name) {
  const client = clients.get(name);
  client.stopped = true;
  await client.ended;
  return { count: client.count, failures: client.failures };
}

async function keepConnecting(client, at) {
  while (!client.stopped) {
    client.count += 1;
    const begin = performance.now();
    try {
      const connection = await reach(at);
      await connection.ask();
      connection.close();
    } catch (error) {
      client.failures.push(error.code ?? error.message);
    }
    const pause = Math.max(SHORTEST, REST * (performance.now() - begin));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

async function connect(address, port) {
  const socket = net.connect({ host: address, port, localPort: nextPort++ });
  try {
    await within(new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject)), "connecting");
  } catch (error) {
    // Another program of this node has the port; no packet was sent.
    if (error.code === "EADDRINUSE") return connect(address, port);
    throw error;
  }
  socket.on("error", () => socket.destroy());
  const lines = readline.createInterface({ input: socket }).on("error", () => {});
  const ask = () => {
    const line = new Promise((resolve, reject) => {
      lines.once("line", resolve);
      socket.once("close", () => reject(new Error("the connection is closed")));
    });
    socket.write("who?\n");
    return within(line, "silence");
  };
  // IPVS remembers a connection that ends otherwise than by a reset for two minutes.
  return { ask, close: () => socket.resetAndDestroy() };
}

/** A socket that keeps its port. */
async function flow(address, port) {
  const socket = dgram.createSocket(address.includes(":") ? "udp6" : "udp4");
  socket.on("error", () => {});
  await new Promise((resolve) => socket.connect(port, address, resolve));
  const ask = () => {
    const answer = new Promise((resolve) => socket.once("message", (data) => resolve(data.toString())));
    socket.send("who?");
    return within(answer, "silence");
  };
  return { ask, close: () => socket.close() };
}

function within(promise, what) {
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error(what)), PATIENCE).unref();
  });
  return Promise.race([promise, late]);
}
