// Are the kernel's packet counters told as they stand, and left out when they cannot be read?
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { buildMetrics, textOf } from "../support/metrics.ts";
import { sampleOf } from "../support/prometheus-text.ts";

const DROPPED = "kubeproxy_iptables_ct_state_invalid_dropped_packets_total";
const ACCEPTED = "kubeproxy_iptables_localhost_nodeports_accepted_packets_total";

const refused = () => Promise.reject(new KernelError({ step: "netlink", target: "x", code: "EPERM", words: "no" }));

t.test("each series is one named counter, read anew at each scrape", async (t) => {
  const packets = new Map([
    ["ct_state_invalid_dropped_pkts", 0n],
    ["localhost_nps_accepted_pkts", 5n],
  ]);
  const { metrics, complaints } = buildMetrics({ readCounter: async (name) => packets.get(name) });
  const texts = await Promise.all([textOf(metrics), textOf(metrics)]);
  for (const text of texts) t.same([sampleOf(text, DROPPED), sampleOf(text, ACCEPTED)], [0, 5]);
  packets.set("localhost_nps_accepted_pkts", 1n << 40n);
  t.equal(sampleOf(await textOf(metrics), ACCEPTED), 2 ** 40);
  packets.set("localhost_nps_accepted_pkts", 3n);
  t.equal(sampleOf(await textOf(metrics), ACCEPTED), 3, "made anew by somebody");
  t.same(complaints, []);
});

const UNREADABLE = [
  { name: "is not there", read: async () => undefined, words: /there is none of that name/ },
  { name: "may not be read", read: refused, words: /no \(EPERM\)/ },
];

for (const { name, read, words } of UNREADABLE) {
  t.test(`a counter that ${name} is left out and complained of once, until it can be read again`, async (t) => {
    let readable = true;
    const { metrics, complaints } = buildMetrics({
      readCounter: async (counter) => (readable || !counter.startsWith("ct_") ? 1n : await read()),
    });
    for (const now of [true, false, false, true, false]) {
      readable = now;
      const text = await textOf(metrics);
      t.equal(sampleOf(text, DROPPED), now ? 1 : undefined);
      t.equal(sampleOf(text, ACCEPTED), 1, "the other one is told all the time");
    }
    t.equal(complaints.length, 2);
    for (const complaint of complaints) {
      t.match(complaint, /^nfacct counter ct_state_invalid_dropped_pkts cannot be read: /);
      t.match(complaint, words);
    }
  });
}

t.test("a fault of ours is no unreadable counter", async (t) => {
  const { metrics, complaints } = buildMetrics({ readCounter: () => Promise.reject(new TypeError("a bug")) });
  await t.rejects(metrics.render(undefined), TypeError);
  t.same(complaints, []);
});

const NEVER = [
  { name: "where the kernel has no counters", change: {} },
  { name: "in ipvs mode", change: { mode: "ipvs", readCounter: async () => 1n } },
] as const;

for (const { name, change } of NEVER) {
  t.test(`${name} there is neither series`, async (t) => {
    t.notMatch(await textOf(buildMetrics(change).metrics), /packets_total/);
  });
}
