// What may stand in a rule where a template has a word?

const NAME = "[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?";
const OCTETS = String.raw`\d{1,3}(?:\.\d{1,3}){3}`;
const SIX = "[0-9a-f:]*:[0-9a-f:.]*";
const PORT = String.raw`\d{1,5}`;
const CHAIN = "KUBE-[A-Z0-9.-]{1,23}";

/** Each word and its grammar. What does not match never reaches a rule, whatever let it through before. */
export const WORDS = {
  address: new RegExp(`^(?:${OCTETS}/32|${SIX}/128)$`),
  chain: new RegExp(`^${CHAIN}$`),
  destination: new RegExp(`^(?:${OCTETS}|\\[${SIX}\\]):${PORT}$`),
  endpoint: new RegExp(`^(?:${OCTETS}|\\[${SIX}\\]):${PORT}$`),
  firewall: new RegExp(`^${CHAIN}$`),
  interface: /^[A-Za-z0-9_.][-A-Za-z0-9_.:]{0,14}\+?$/,
  loopback: /^(?:127\.0\.0\.0\/8|::1\/128)$/,
  mark: /^0x[1-9a-f][0-9a-f]{0,7}$/,
  pods: new RegExp(`^(?:${OCTETS}/\\d{1,2}|${SIX}/\\d{1,3})$`),
  port: new RegExp(`^${PORT}$`),
  ports: new RegExp(`^${PORT}(?::${PORT})?$`),
  probability: /^[01]\.\d{11}$/,
  protocol: /^(?:tcp|udp|sctp)$/,
  "protocol.number": /^(?:6|17|132)$/,
  range: new RegExp(`^(?:${OCTETS}/\\d{1,2}|${SIX}/\\d{1,3})$`),
  recent: new RegExp(`^${CHAIN}$`),
  "recent.mask": new RegExp(`^(?:255\\.255\\.255\\.255|${"ffff:".repeat(7)}ffff)$`),
  reject: /^icmp6?-port-unreachable$/,
  seconds: /^[1-9]\d{0,5}$/,
  service: new RegExp(`^${NAME}/${NAME}(?::${NAME})?$`),
  set: /^KUBE-[A-Z0-9-]{1,26}$/,
  target: new RegExp(`^${CHAIN}$`),
  vip: new RegExp(`^(?:${OCTETS}|${SIX})$`),
} as const satisfies Record<string, RegExp>;

export type Word = keyof typeof WORDS;

/** What fills the words of one rule. */
export type Words = Partial<Record<Word, string>>;

export function isWord(text: string): text is Word {
  return Object.hasOwn(WORDS, text);
}
