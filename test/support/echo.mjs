// What does a pod say to whoever asks? Its address, and the question; over TCP for as long as the client likes.
//   echo.mjs ADDRESS PORT…    both protocols at each of the addresses; the ports are the numbers among the arguments
import dgram from "node:dgram";
import net from "node:net";

const ports = process.argv.slice(2).filter((word) => /^\d+$/.test(word));
const addresses = process.argv.slice(2).filter((word) => !/^\d+$/.test(word));

for (const address of addresses)
  for (const port of ports) await Promise.all([listenTcp(address, port), listenUdp(address, port)]);
process.stdout.write("listening\n");
process.stdin.on("end", () => process.exit(0)).resume();

function listenTcp(address, port) {
  const server = net.createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("data", (data) => socket.write(`${address} ${data}`));
  });
  return new Promise((resolve) => server.listen(Number(port), address, resolve));
}

function listenUdp(address, port) {
  const socket = dgram.createSocket(address.includes(":") ? "udp6" : "udp4");
  socket.on("message", (data, from) => socket.send(`${address} ${data}`, from.port, from.address));
  return new Promise((resolve) => socket.bind(Number(port), address, resolve));
}
