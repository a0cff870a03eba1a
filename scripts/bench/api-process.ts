// Starts the API server of a question and sends it orders.
import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Lists } from "./api-collection.ts";
import type { Order, Report } from "./api-orders.ts";
import type { Size } from "./cluster.ts";
import { FOLDER } from "./sandbox.ts";

const SCRIPT = fileURLToPath(new URL("api-server.js", import.meta.url));
const AUTHORITY = fileURLToPath(new URL("../../fixtures/tls/authority.pem", import.meta.url));
const KUBECONFIG = join(FOLDER, "kubeconfig");

/** What became of an order. */
export type Written = Extract<Report, { readonly type: "written" }>;

/** A server on loopback. It ends with this process. */
export class ApiProcess {
  /** The daemon's flags that lead it here. */
  readonly source: readonly string[] = ["--kubeconfig", KUBECONFIG];
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Returns when it answers. To be called inside the sandbox. */
  static async start(size: Size, lists: Lists): Promise<ApiProcess> {
    execFileSync("ip", ["link", "set", "lo", "up"]);
    const child = fork(SCRIPT, [String(size.services), String(size.endpoints), lists], {
      stdio: ["ignore", 2, 2, "ipc"],
    });
    const news = await hear(child);
    if (news.type !== "listening") throw new Error("the API server spoke before it listened");
    writeFileSync(KUBECONFIG, JSON.stringify(kubeconfig(`https://127.0.0.1:${news.port}`)));
    return new ApiProcess(child, news.port);
  }

  /** Stops the process, which keeps its connections and its listening socket, or lets it go on. */
  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(signal);
  }

  /** Ends the server. */
  async stop(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.disconnect();
    await ended;
  }

  /** Returns when the change is written to all watches, or the outage is over. */
  async carryOut(order: Order): Promise<Written> {
    this.#child.send(order);
    const news = await hear(this.#child);
    if (news.type !== "written") throw new Error("the API server began anew");
    return news;
  }
}

async function hear(child: ChildProcess): Promise<Report> {
  const ended = new AbortController();
  const end = () => ended.abort(new Error("the API server ended"));
  child.once("exit", end);
  const [news]: Report[] = await once(child, "message", { signal: ended.signal });
  child.off("exit", end);
  if (!news) throw new Error("the API server said nothing");
  return news;
}

/** As a node of a cluster has one: trust in an authority, and a token. */
function kubeconfig(server: string): unknown {
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "bench",
    contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
    clusters: [{ name: "bench", cluster: { server, "certificate-authority": AUTHORITY } }],
    users: [{ name: "bench", user: { token: "nobody checks it" } }],
  };
}
