import t from "tap";
import { isWord, WORDS } from "../../src/backends/words.ts";

const GOOD: Readonly<Record<keyof typeof WORDS, readonly string[]>> = {
  address: ["10.0.0.1/32", "fd00::1/128", "::1.2.3.4/128"],
  chain: ["KUBE-SVC-AAAAAAAAAAAAAAAA", "KUBE-NODEPORTS"],
  destination: ["10.0.0.1:80", "[fd00::1]:65535", "[::1.2.3.4]:80"],
  endpoint: ["10.0.0.1:80", "[fd00::1]:80"],
  firewall: ["KUBE-FW-AAAAAAAAAAAAAAAA"],
  interface: ["cni0", "veth+", "eth0.100"],
  loopback: ["127.0.0.0/8", "::1/128"],
  mark: ["0x4000", "0x1", "0x80000000"],
  pods: ["10.244.0.0/16", "fd00:244::/56"],
  port: ["1", "65535"],
  ports: ["30080", "30720:32767"],
  probability: ["0.33333333349", "0.50000000000"],
  protocol: ["tcp", "udp", "sctp"],
  "protocol.number": ["6", "17", "132"],
  range: ["198.18.0.0/15", "2001:db8::/32"],
  recent: ["KUBE-SEP-AAAAAAAAAAAAAAAA"],
  "recent.mask": ["255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  reject: ["icmp-port-unreachable", "icmp6-port-unreachable"],
  seconds: ["1", "86400"],
  service: ["ns/name", "ns/name:port", "a/b.c-d:e-f"],
  set: ["KUBE-CLUSTER-IP", "KUBE-6-LOAD-BALANCER-SOURCE-CID"],
  target: ["KUBE-EXT-AAAAAAAAAAAAAAAA"],
  vip: ["203.0.113.5", "2001:db8::5", "::1.2.3.4"],
};

const HOSTILE = [
  "",
  " ",
  '"',
  "'",
  "\\",
  "-j",
  "x y",
  "x\n",
  "\nx",
  "x -j ACCEPT",
  '" -j ACCEPT',
  "::1%eth0",
  "$(id)",
  "é",
  "x".repeat(300),
];

t.test("every word has a grammar that lets its own kind in", async (t) => {
  for (const [word, values] of Object.entries(GOOD)) {
    t.ok(isWord(word), word);
    if (isWord(word)) for (const value of values) t.ok(WORDS[word].test(value), `${word} ${value}`);
  }
  t.same(Object.keys(GOOD).sort(), Object.keys(WORDS).sort(), "no word is forgotten here");
  t.notOk(isWord("toString"));
});

t.test("no word lets in what could end an argument or begin another", async (t) => {
  for (const [word, grammar] of Object.entries(WORDS)) {
    for (const text of HOSTILE) t.notOk(grammar.test(text), `${word} ${JSON.stringify(text)}`);
    for (const value of GOOD[isWord(word) ? word : "chain"]) {
      for (const tail of [" ", "\n", '"', " -j ACCEPT", "\n-A INPUT -j ACCEPT"]) {
        t.notOk(grammar.test(value + tail), `${word} ${JSON.stringify(value + tail)}`);
        t.notOk(grammar.test(tail + value), `${word} ${JSON.stringify(tail + value)}`);
      }
    }
  }
});
