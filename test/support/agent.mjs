// What do tests need done by a process inside a network namespace? Real sockets, and kernel settings.
// Requests and answers are JSON lines on standard input and output; the process ends when its input does.
import dgram from "node:dgram";
import { writeFileSync } from "node:fs";
import net from "node:net";
import readline from "node:readline";

/** Open servers by `protocol address port`. */
const servers = new Map();

const ACTIONS = { listen, probe, sysctl };

readline
  .createInterface({ input: process.stdin })
  .on("line", answer)
  .on("close", () => process.exit(0));

async function answer(line) {
  const { id, action, argument } = JSON.parse(line);
  try {
    write({ id, result: (await ACTIONS[action](argument)) ?? null });
  } catch (error) {
    write({ id, error: `${action}: ${error.message}` });
  }
}

function write(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Makes exactly these sockets listen: others of before are closed. */
async function listen(sockets) {
  const wanted = new Map(sockets.map((socket) => [`${socket.protocol} ${socket.address} ${socket.port}`, socket]));
  for (const [key, server] of servers) {
    if (wanted.has(key)) continue;
    servers.delete(key);
    await new Promise((closed) => server.close(closed));
  }
  for (const [key, socket] of wanted) {
    if (!servers.has(key)) servers.set(key, await (socket.protocol === "tcp" ? tcpServer(socket) : udpServer(socket)));
  }
}

function report({ address, port }, client) {
  return JSON.stringify({ reached: address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`, client });
}

function tcpServer(at) {
  const server = net.createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.end(report(at, socket.remoteAddress));
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: at.address, port: at.port, backlog: 511 }, () => resolve(server));
  });
}

function udpServer(at) {
  const socket = dgram.createSocket(at.address.includes(":") ? "udp6" : "udp4");
  socket.on("message", (_, from) => socket.send(report(at, from.address), from.port, from.address, () => {}));
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.bind({ address: at.address, port: at.port }, () => resolve(socket));
  });
}

/** `count` new connections, at most `parallel` at once; the outcome of each. */
async function probe({ protocol, from, address, port, count, parallel, timeout }) {
  const outcomes = [];
  let started = 0;
  const connect = protocol === "tcp" ? tcpClient : udpClient;
  const lane = async () => {
    while (started < count) {
      started += 1;
      outcomes.push(await connect({ from, address, port, timeout }));
    }
  };
  await Promise.all(Array.from({ length: parallel }, lane));
  return outcomes;
}

function tcpClient({ from, address, port, timeout }) {
  return new Promise((resolve) => {
    const socket = net.connect({ host: address, port, localAddress: from });
    let text = "";
    settle(socket, { resolve, timeout, close: () => socket.destroy() }, (end) => {
      socket.on("data", (data) => {
        text += data;
      });
      socket.on("end", () => end(text === "" ? { failed: "empty" } : JSON.parse(text)));
    });
  });
}

function udpClient({ from, address, port, timeout }) {
  return new Promise((resolve) => {
    const socket = dgram.createSocket(address.includes(":") ? "udp6" : "udp4");
    settle(socket, { resolve, timeout, close: () => socket.close() }, (end) => {
      socket.on("message", (data) => end(JSON.parse(data)));
      // The sender's own OUTPUT chain makes this fail; whether that is a refusal is told by what comes after it.
      socket.on("connect", () => socket.send("?", (error) => error && error.code !== "EPERM" && end(failureOf(error))));
      socket.bind({ address: from, port: 0 }, () => socket.connect(port, address));
    });
  });
}

function settle(socket, { resolve, timeout, close }, start) {
  let ended = false;
  const end = (outcome) => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    close();
    resolve(outcome);
  };
  const timer = setTimeout(() => end({ failed: "silence" }), timeout);
  socket.on("error", (error) => end(failureOf(error)));
  start(end);
}

function failureOf(error) {
  return { failed: error.code === "ECONNREFUSED" ? "refusal" : error.code };
}

/** Writes kernel settings, path under /proc/sys to value. */
function sysctl(values) {
  for (const [path, value] of Object.entries(values)) writeFileSync(`/proc/sys/${path}`, value);
}
