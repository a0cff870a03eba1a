// Where do connections end? Starts servers and clients in their namespaces, and counts.
import { once } from "node:events";
import { createInterface } from "node:readline";
import { startIn } from "./children.mjs";

/**
 * How many connections each endpoint got, which clients the endpoints saw, and how the others failed.
 * @typedef {{ made: number, endpoints: Map<string, number>, clients: Map<string, number>,
 *   failures: Map<string, number> }} Counts
 */

/**
 * Starts a web server in a pod; resolves once it listens.
 * @param {string} pod
 * @param {number} port
 */
export async function serve(pod, port) {
  const server = startIn(pod, [process.execPath, "scripts/demo/server.mjs", String(port)]);
  const [line] = await Promise.race([once(createInterface({ input: server.stdout }), "line"), once(server, "exit")]);
  if (line !== "listening") throw new Error(`the server of ${pod} did not start`);
}

/**
 * Makes connections from a namespace and tells of each as it ends.
 * @param {string} namespace
 * @param {{ url: string, count: number }} what
 * @param {(counts: Counts) => void} onEnd
 * @returns {Promise<Counts>}
 */
export async function connect(namespace, { url, count }, onEnd = () => {}) {
  const client = startIn(namespace, [process.execPath, "scripts/demo/client.mjs", url, String(count)]);
  /** @type {Counts} */
  const counts = { made: 0, endpoints: new Map(), clients: new Map(), failures: new Map() };
  for await (const line of createInterface({ input: client.stdout })) {
    const { endpoint, client: seen, failure } = JSON.parse(line);
    counts.made += 1;
    if (failure !== undefined) add(counts.failures, failure);
    else {
      add(counts.endpoints, endpoint);
      add(counts.clients, seen);
    }
    onEnd(counts);
  }
  return counts;
}

/**
 * @param {Map<string, number>} counts
 * @param {string} key
 */
function add(counts, key) {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
