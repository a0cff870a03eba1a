import t from "tap";
import { conntrackSysctls } from "../../src/backends/conntrack-sysctls.ts";
import type { ConntrackOptions } from "../../src/options/options.ts";

const NOTHING: ConntrackOptions = {
  maxPerCore: 0,
  min: 131_072,
  tcpEstablishedTimeout: 0,
  tcpCloseWaitTimeout: 0,
  tcpBeLiberal: false,
  udpTimeout: 0,
  udpStreamTimeout: 0,
};

const HASHSIZE = "/sys/module/nf_conntrack/parameters/hashsize";

for (const { perCore, min, cpus, max } of [
  { perCore: 32_768, min: 131_072, cpus: 1, max: 131_072 },
  { perCore: 32_768, min: 131_072, cpus: 4, max: 131_072 },
  { perCore: 32_768, min: 131_072, cpus: 8, max: 262_144 },
  { perCore: 32_768, min: 131_072, cpus: 64, max: 1_048_576 },
  { perCore: 32_768, min: 2_000_000, cpus: 64, max: 1_048_576 },
  { perCore: 32_768, min: 2_000_000, cpus: 8, max: 2_000_000 },
  { perCore: 32_768, min: 0, cpus: 32, max: 1_048_576 },
]) {
  t.test(`${perCore} for each of ${cpus} processors, at least ${min}`, async (t) => {
    t.strictSame(conntrackSysctls({ ...NOTHING, maxPerCore: perCore, min }, cpus), [
      { path: "net/netfilter/nf_conntrack_max", value: String(max) },
      { path: HASHSIZE, least: max / 4 },
    ]);
  });
}

t.test("without a number for each processor the limit is left, whatever the least one is", async (t) => {
  t.strictSame(conntrackSysctls(NOTHING, 8), []);
  t.strictSame(conntrackSysctls({ ...NOTHING, maxPerCore: -1 }, 8), []);
});

t.test("a limit that does not divide by four asks for the whole buckets of it", async (t) => {
  t.match(conntrackSysctls({ ...NOTHING, maxPerCore: 7, min: 0 }, 1), [{ value: "7" }, { least: 1 }]);
});

t.test("time-outs are whole seconds, and what is not set is left alone", async (t) => {
  const options: ConntrackOptions = {
    ...NOTHING,
    tcpEstablishedTimeout: 86_400_000,
    tcpCloseWaitTimeout: 3_600_999,
    udpTimeout: 30_000,
    udpStreamTimeout: 180_500,
    tcpBeLiberal: true,
  };
  t.strictSame(conntrackSysctls(options, 1), [
    { path: "net/netfilter/nf_conntrack_tcp_timeout_established", value: "86400" },
    { path: "net/netfilter/nf_conntrack_tcp_timeout_close_wait", value: "3600" },
    { path: "net/netfilter/nf_conntrack_udp_timeout", value: "30" },
    { path: "net/netfilter/nf_conntrack_udp_timeout_stream", value: "180" },
    { path: "net/netfilter/nf_conntrack_tcp_be_liberal", value: "1" },
  ]);
});
