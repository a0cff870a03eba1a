// Are the addresses found that this machine's own connections have?
import { once } from "node:events";
import { connect, createServer } from "node:net";
import t from "tap";
import { tcpSources } from "../../src/kernel/tcp-sources.ts";
import { ipv6Skip } from "../support/http-client.ts";

for (const [name, address, skip] of [
  ["of IPv4", "127.0.0.77", false],
  ["of IPv4, through a socket of IPv6", "::ffff:127.0.0.78", await ipv6Skip()],
  ["of IPv6", "::1", await ipv6Skip()],
] as const) {
  t.test(`a connection ${name}, and no socket that only listens`, { skip }, async (t) => {
    const server = createServer();
    t.teardown(() => server.close());
    server.listen(0, name.endsWith("a socket of IPv6") ? "::" : address);
    await once(server, "listening");
    const at = server.address();
    if (typeof at !== "object" || at === null) throw new Error("no port");
    const canonical = address.replace("::ffff:", "");
    if (canonical !== "::1") t.notOk((await tcpSources()).has(canonical));
    const accepted = once(server, "connection");
    const client = connect({ host: canonical, port: at.port, localAddress: canonical });
    await Promise.all([once(client, "connect"), accepted]);
    t.ok((await tcpSources()).has(canonical));
    const [other] = await accepted;
    other.destroy();
    client.destroy();
  });
}

t.test("what has no connection any more does not count", async (t) => {
  const heading = "  sl  local_address rem_address   st tx_queue rx_queue";
  const word = (bytes: readonly number[]) => {
    const [number = 0] = new Uint32Array(Uint8Array.from(bytes).buffer);
    return number.toString(16).toUpperCase().padStart(8, "0");
  };
  const line = (last: number, state: string) => `   0: ${word([10, 96, 1, last])}:D2F0 00000000:0050 ${state} 00000000`;
  const states = ["01", "02", "04", "06", "07", "08", "0A"];
  const lines = states.map((state, index) => line(index + 1, state));
  const folder = t.testdir({ tcp: `${[heading, ...lines].join("\n")}\n` });
  t.same([...(await tcpSources(folder))], ["10.96.1.1", "10.96.1.2", "10.96.1.3", "10.96.1.6"]);
});
