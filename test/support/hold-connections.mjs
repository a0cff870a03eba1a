// Opens connections to ports of 127.0.0.1 and never sends a whole request on them: half stay silent, half send a header
// line each second. Arguments: connections for each port, then the ports. A connection that the server ends is opened
// again five seconds later. Prints the number of connections ended by the server each second, as one JSON object a line.
import { connect } from "node:net";

const [count, ...ports] = process.argv.slice(2).map(Number);
let established = 0;
let ended = 0;

function open(port, index) {
  const socket = connect(port, "127.0.0.1");
  let drip;
  socket.on("connect", () => {
    established += 1;
    if (index % 2 === 0) return;
    socket.write("GET /livez HTTP/1.1\r\n");
    drip = setInterval(() => socket.write("X-Slow: 1\r\n"), 1000);
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    ended += 1;
    clearInterval(drip);
    setTimeout(open, 5000, port, index);
  });
  socket.resume();
}

for (let index = 0; index < count; index++) for (const port of ports) open(port, index);
setInterval(() => console.log(JSON.stringify({ established, ended })), 1000);
