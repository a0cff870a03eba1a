// Writes the answers of the tests' API server, with or without a fault.
import type { ServerResponse } from "node:http";
import { constants, type ServerHttp2Stream } from "node:http2";
import { setTimeout } from "node:timers/promises";
import { socketOf } from "../tls-server.ts";
import type { Trouble } from "./faults.ts";

/** A `Status` as the API server words it. */
export function buildStatus(code: number, reason = "", more: object = {}): object {
  return {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    reason,
    message: `the test says ${code}`,
    ...more,
  };
}

/** Writes one body, piece by piece, as far as its trouble lets it. */
export class Answer {
  readonly #response: ServerResponse;
  readonly #trouble: Trouble | undefined;
  #written = 0;
  #over = false;
  #queue: Promise<void> = Promise.resolve();

  constructor(response: ServerResponse, trouble: Trouble | undefined) {
    this.#response = response;
    this.#trouble = trouble;
    response.on("close", () => {
      this.#over = true;
    });
  }

  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  refuse(code: number, status: object, headers: Readonly<Record<string, string>> = {}): void {
    this.#response.writeHead(code, { "content-type": "application/json", ...headers }).end(JSON.stringify(status));
  }

  begin(code = 200): void {
    this.#response.writeHead(code, { "content-type": "application/json" });
    this.#response.flushHeaders();
  }

  /** Pieces keep their order; resolves when this one is out. */
  write(text: string): Promise<void> {
    this.#queue = this.#queue.then(() => this.#send(Buffer.from(text)));
    return this.#queue;
  }

  /** Ends the body behind all that was written; what is written later is lost. */
  end(): Promise<void> {
    this.#queue = this.#queue.then(() => {
      if (this.#over || this.#isStalled()) return;
      this.#over = true;
      this.#response.end();
    });
    return this.#queue;
  }

  /** Breaks the connection: over HTTP/2 all requests on it fail. */
  drop(): void {
    socketOf(this.#response.req).destroy();
  }

  onClose(callback: () => void): void {
    this.#response.on("close", callback);
  }

  async #send(bytes: Buffer): Promise<void> {
    if (this.#over) return;
    const limit = this.#limit();
    const part = bytes.subarray(0, Math.max(0, limit - this.#written));
    this.#written += part.length;
    if (this.#trouble?.type === "trickle") await this.#trickle(part, this.#trouble);
    else await this.#push(part);
    const breaks = this.#trouble?.type === "cut" || this.#trouble?.type === "reset";
    if (breaks && this.#written >= limit) {
      // What was written shall arrive before the end does.
      await setTimeout(5);
      if (this.#trouble?.type === "cut") this.drop();
      else this.#reset();
    }
  }

  #reset(): void {
    const stream: ServerHttp2Stream | undefined = Reflect.get(this.#response, "stream");
    if (stream) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    else this.drop();
  }

  async #trickle(bytes: Buffer, { bytes: size, every }: { readonly bytes: number; readonly every: number }) {
    for (let start = 0; start < bytes.length && !this.#over; start += size) {
      await this.#push(bytes.subarray(start, start + size));
      await setTimeout(every);
    }
  }

  #push(bytes: Buffer): Promise<void> | undefined {
    if (bytes.length === 0 || this.#over || this.#response.write(bytes)) return undefined;
    return new Promise((resolve) => {
      const go = () => {
        this.#response.off("drain", go);
        this.#response.off("close", go);
        resolve();
      };
      this.#response.on("drain", go);
      this.#response.on("close", go);
    });
  }

  #limit(): number {
    const trouble = this.#trouble;
    return trouble?.type === "cut" || trouble?.type === "reset" || trouble?.type === "stall"
      ? trouble.after
      : Number.POSITIVE_INFINITY;
  }

  #isStalled(): boolean {
    return this.#trouble?.type === "stall" && this.#written >= this.#trouble.after;
  }
}
