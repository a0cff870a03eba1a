// Which of this machine's addresses do its own TCP connections have?
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { addressText } from "./address-bytes.ts";

/** The kernel's lists of sockets; the second one is missing where there is no IPv6, and has sockets of both families. */
const FILES = ["tcp", "tcp6"] as const;

/** States of sockets that only listen, or that nobody uses any more: TIME_WAIT, CLOSE and LISTEN. */
const WITHOUT_CONNECTION: ReadonlySet<string> = new Set(["06", "07", "0A"]);

/** Sixteen bytes that begin so are an address of IPv4. */
const MAPPED = "00000000000000000000ffff";

/** Canonical. Of the network namespace that this process is in. What cannot be read has none. */
export async function tcpSources(folder = "/proc/net"): Promise<ReadonlySet<string>> {
  const texts = await Promise.all(FILES.map((name) => readFile(join(folder, name), "utf8").catch(() => "")));
  return new Set(texts.flatMap((text) => text.split("\n").slice(1).flatMap(sourceIn)));
}

/** `   0: 0101600A:D2F0 0A01600A:0050 01 …`: place of this side, place of the other, state. */
const SOCKET = /^ *\d+: ([0-9A-F]+):\S+ \S+ ([0-9A-F]{2}) /;

function sourceIn(line: string): readonly string[] {
  const [, digits = "", state = ""] = SOCKET.exec(line) ?? [];
  return digits === "" || WITHOUT_CONNECTION.has(state) ? [] : [addressIn(digits)];
}

/** Words of 32 bits, each written as a number of this machine. */
function addressIn(digits: string): string {
  const words = new Uint32Array(digits.length / 8);
  for (const index of words.keys()) words[index] = Number.parseInt(digits.slice(8 * index, 8 * index + 8), 16);
  const bytes = Buffer.from(words.buffer);
  return addressText(bytes.toString("hex").startsWith(MAPPED) ? bytes.subarray(12) : bytes);
}
