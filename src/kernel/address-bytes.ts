// How does an address look in the kernel's messages? Four or sixteen bytes, in network order.

/** The canonical text of four or sixteen bytes; of an IPv6 address as RFC 5952 writes it, in hexadecimal throughout. */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16);
  const groups = Array.from({ length: 8 }, (_, index) => view.getUint16(2 * index).toString(16));
  const { from, length } = longestZeros(groups);
  if (length < 2) return groups.join(":");
  return `${groups.slice(0, from).join(":")}::${groups.slice(from + length).join(":")}`;
}

/** The bytes of canonical text. */
export function addressBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.includes(":") ? 16 : 4);
  writeAddress(bytes, 0, text);
  return bytes;
}

/** Writes the bytes of canonical text from `at` on, and gives where they end. */
export function writeAddress(bytes: Uint8Array, at: number, text: string): number {
  if (!text.includes(":")) return writeDotted(bytes, at, text);
  const [head = "", tail] = text.split("::");
  const [before, after] = [groupsOf(head), groupsOf(tail ?? "")];
  const zeros = new Array<number>(8 - before.length - after.length).fill(0);
  const octets = [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255]);
  bytes.set(octets, at);
  return at + octets.length;
}

/** Digit by digit: it is done once for each of tens of thousands of servers. */
function writeDotted(bytes: Uint8Array, at: number, text: string): number {
  let [octet, value] = [at, 0];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === DOT) {
      bytes[octet++] = value;
      value = 0;
    } else value = 10 * value + code - ZERO;
  }
  bytes[octet] = value;
  return octet + 1;
}

const [DOT, ZERO] = [46, 48];

function groupsOf(text: string): readonly number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

/** The first of the longest runs of zero groups. */
function longestZeros(groups: readonly string[]): { readonly from: number; readonly length: number } {
  let longest = { from: 0, length: 0 };
  for (let from = 0; from < groups.length; from += 1) {
    let length = 0;
    while (groups[from + length] === "0") length += 1;
    if (length > longest.length) longest = { from, length };
  }
  return longest;
}
