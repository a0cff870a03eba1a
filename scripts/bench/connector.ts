// How long does it take to connect, in a network with rules?
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { type Place, POD_RANGE, SERVICE_RANGE } from "./cluster.ts";
import type { Stopwatch } from "./stopwatch.ts";

const SCRIPT = fileURLToPath(new URL("../bench/connects.pl", import.meta.url));

/** The node's own, which is no pod's. */
const NODE_ADDRESS = "10.0.0.1";

/** Every pod is on this node, and no packet leaves it. */
const ROUTES = [
  "ip link set lo up",
  `ip address add ${NODE_ADDRESS}/32 dev lo`,
  `ip route add local ${POD_RANGE} dev lo`,
  `ip route add ${SERVICE_RANGE} dev lo src ${NODE_ADDRESS}`,
];

/** A client of a network in which every pod answers. It ends with this process, since its input does. */
export class Connector {
  readonly #client: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: AsyncIterator<string>;

  private constructor(enter: readonly string[]) {
    const [program = "", ...args] = [...enter, "perl", SCRIPT];
    this.#client = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    // That it is over is found when no answer comes.
    this.#client.stdin.on("error", () => {});
    this.#answers = createInterface({ input: this.#client.stdout })[Symbol.asyncIterator]();
  }

  static async start(stopwatch: Stopwatch): Promise<Connector> {
    for (const command of ROUTES) await stopwatch.time(command);
    return new Connector(stopwatch.enter);
  }

  /** Microseconds, median of so many. Rejects when the answer is no connection. */
  async connect({ address, port }: Place, times: number): Promise<number> {
    this.#client.stdin.write(`${address} ${port} ${times}\n`);
    const answer: IteratorResult<string, unknown> = await this.#answers.next();
    if (answer.done) throw new Error(`no connection to ${address}:${port}`);
    return Number(answer.value);
  }

  end(): void {
    this.#client.stdin.end();
  }
}
