// What runs in an endpoint's pod? A web server that says who it is, and who it thinks is calling.
import { createServer } from "node:http";

const [port = "8080"] = process.argv.slice(2);

const server = createServer(({ socket }, response) => {
  const seen = { endpoint: plain(socket.localAddress), client: plain(socket.remoteAddress) };
  response.writeHead(200, { "content-type": "application/json", connection: "close" });
  response.end(`${JSON.stringify(seen)}\n`);
});
server.listen(Number(port), "::", () => console.log("listening"));

/** @param {string | undefined} address IPv4 comes in IPv6's clothes, as one socket listens for both. */
function plain(address = "") {
  return address.replace(/^::ffff:/, "");
}
