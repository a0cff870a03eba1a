// What does a client do? It makes connections to one URL, each a new one, and prints a line for each: what the endpoint
// answered, or how it failed.
import { get } from "node:http";
import { setTimeout } from "node:timers/promises";

const AT_ONCE = 8;
const PAUSE_MS = 25;
const TIMEOUT_MS = 3000;

const [url = "", count = "1"] = process.argv.slice(2);
let left = Number(count);

await Promise.all(Array.from({ length: AT_ONCE }, connectWhileLeft));

async function connectWhileLeft() {
  while (left > 0) {
    left -= 1;
    console.log(await connect());
    await setTimeout(PAUSE_MS);
  }
}

/** @returns {Promise<string>} a line of JSON */
function connect() {
  return new Promise((resolve) => {
    const failed = (/** @type {{ code?: string }} */ { code }) =>
      resolve(JSON.stringify({ failure: code ?? "timeout" }));
    const request = get(url, { agent: false, timeout: TIMEOUT_MS }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      response.on("end", () => resolve(text.trim())).on("error", failed);
    });
    request.on("timeout", () => request.destroy()).on("error", failed);
  });
}
