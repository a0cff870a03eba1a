// What does a client see that keeps its socket, as DNS resolvers and QUIC do?
import { createSocket, type Socket } from "node:dgram";

/** Milliseconds without an answer that count as silence. */
const PATIENCE = 1500;

/** One socket, connected once. */
export class UdpClient {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Who answers the next packet (`ip:port`); `refused` by an ICMP error, or `silence`. */
  ask(): Promise<string> {
    return new Promise((resolve) => {
      const end = (outcome: string) => {
        clearTimeout(timer);
        this.#socket.removeAllListeners();
        resolve(outcome);
      };
      const timer = setTimeout(() => end("silence"), PATIENCE);
      this.#socket.on("message", (data) => end(JSON.parse(data.toString()).reached));
      this.#socket.on("error", (error) =>
        end("code" in error && error.code === "ECONNREFUSED" ? "refused" : error.message),
      );
      // What goes wrong with this packet itself is told by the next event, or by silence.
      this.#socket.send("?", () => {});
    });
  }

  close(): void {
    this.#socket.close();
  }
}

export async function udpClient(address: string, port: number): Promise<UdpClient> {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  await new Promise<void>((resolve) => socket.connect(port, address, resolve));
  return new UdpClient(socket);
}
