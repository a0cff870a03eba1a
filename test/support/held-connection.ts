// Does a connection that was made before still work?
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Milliseconds: an answer that takes longer never comes. */
const PATIENCE = 10_000;

/** A TCP connection to `echo.mjs`, used from time to time. */
export class HeldConnection {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** `from`: the client's own address, where it matters. */
  static async open(address: string, port: number, from?: string): Promise<HeldConnection> {
    const socket = connect({ host: address, port, noDelay: true, ...(from !== undefined && { localAddress: from }) });
    await once(socket, "connect", { signal: AbortSignal.timeout(PATIENCE) });
    // What ends it is told by the next question.
    socket.on("error", () => {});
    return new HeldConnection(socket);
  }

  /** The address of the pod that answers, or the code of what went wrong. */
  async ask(): Promise<string> {
    const answer = once(this.#socket, "data", { signal: AbortSignal.timeout(PATIENCE) });
    this.#socket.write("who");
    try {
      const [data] = await answer;
      return String(data).split(" ")[0] ?? "";
    } catch (error) {
      return error instanceof Error && "code" in error ? String(error.code) : String(error);
    }
  }

  /** Forgets it without a word to the other side. */
  drop(): void {
    this.#socket.destroy();
  }
}

/** The address of the pod that answers a datagram. Rejects when none does. */
export async function askByDatagram(address: string, port: number): Promise<string> {
  const socket = createSocket("udp4");
  try {
    const answer = once(socket, "message", { signal: AbortSignal.timeout(PATIENCE) });
    socket.send("who", port, address);
    const [data] = await answer;
    return String(data).split(" ")[0] ?? "";
  } finally {
    socket.close();
  }
}
