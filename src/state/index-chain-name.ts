// Which chains of a table belong to an index?

/** A letter for each shared chain that has one, then the range: `KUBE-IX-S-10.96.0.0-14`, in IPv6 its hash. */
const INDEX_CHAIN = /^KUBE-IX-[SEFNH]-/;

/** A chain that only leads on, by address or port, to the few rules that may be for a packet, or has these in it. */
export function isIndexChain(name: string): boolean {
  return INDEX_CHAIN.test(name);
}
