// What is made of answers that do not come from an API server at all?
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { eventObject } from "../../src/source/event-object.ts";
import { createEvent } from "../../src/source/event-writer.ts";
import { systemTiming } from "../../src/source/timing.ts";
import { connectTo } from "../support/api-server/test-connection.ts";

const EVENT = eventObject(
  { type: "Normal", reason: "Starting", action: "StartKubeProxy", note: "" },
  { nodeName: "n1", hostname: "n1" },
  1n,
);

const ANSWERS = [
  { name: "a proxy's page", status: 502, body: "<html>Bad gateway</html>", outcome: { type: "later", words: "502" } },
  { name: "a page without an end", status: 403, body: "x".repeat(1e6), outcome: { type: "refused", words: "403" } },
  { name: "a redirection", status: 302, body: "", outcome: { type: "refused", words: "302" } },
  { name: "a success in other words", status: 201, body: "fine", outcome: { type: "written" } },
];
for (const { name, status, body, outcome } of ANSWERS) {
  t.test(name, async (t) => {
    const server = createServer((_, response) => response.writeHead(status).end(body));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    const connection = connectTo(`http://127.0.0.1:${port}`);
    t.match(await createEvent({ connection, timing: systemTiming }, EVENT, new AbortController().signal), outcome);
  });
}
