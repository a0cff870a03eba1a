// Does a real kernel get the conntrack settings, and is a refusal told in kube-proxy's words?
import "../support/enter-sandbox.ts";

import { readFileSync } from "node:fs";
import t from "tap";
import { runCommand } from "../../src/kernel/command.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { readSysctl } from "../../src/kernel/sysctl.ts";
import type { ConntrackOptions } from "../../src/options/options.ts";
import type { Step } from "../../src/plan/plan.ts";
import { setConntrack } from "../../src/sync/conntrack-settings.ts";
import { skipReason } from "../support/sandbox.ts";

const skip = skipReason();
const kernel = machine(runCommand);

const NOTHING: ConntrackOptions = {
  maxPerCore: 0,
  min: 0,
  tcpEstablishedTimeout: 0,
  tcpCloseWaitTimeout: 0,
  tcpBeLiberal: false,
  udpTimeout: 0,
  udpStreamTimeout: 0,
};

const TIMEOUTS: ConntrackOptions = {
  ...NOTHING,
  tcpEstablishedTimeout: 86_400_000,
  tcpCloseWaitTimeout: 3_600_000,
  udpTimeout: 31_000,
  udpStreamTimeout: 181_000,
  tcpBeLiberal: true,
};

/** The kernel, and the paths that are written. */
function watched() {
  const written: string[] = [];
  const apply: typeof kernel.apply = (plan) => {
    written.push(...plan.steps.map((step: Step) => (step.kind === "sysctl" ? step.path : step.kind)));
    return kernel.apply(plan);
  };
  return { written, kernel: { ...kernel, apply } };
}

const HASHSIZE = "/sys/module/nf_conntrack/parameters/hashsize";

const present = await readSysctl(HASHSIZE);

/** Where it cannot be read it is to be written, which ends the daemon as it ends kube-proxy. */
const hashsizeSkip = present === undefined && `who runs this may not read ${HASHSIZE}`;

function settingOf(name: string): Promise<string | undefined> {
  return readSysctl(`net/netfilter/nf_conntrack_${name}`);
}

t.test("what differs is written, and only that", { skip }, async (t) => {
  await setConntrack(kernel, TIMEOUTS, 1);
  const values = await Promise.all(
    ["tcp_timeout_established", "tcp_timeout_close_wait", "udp_timeout", "udp_timeout_stream", "tcp_be_liberal"].map(
      settingOf,
    ),
  );
  t.strictSame(values, ["86400", "3600", "31", "181", "1"]);
  const second = watched();
  await setConntrack(second.kernel, { ...TIMEOUTS, udpTimeout: 32_000 }, 1);
  t.strictSame(second.written, ["net/netfilter/nf_conntrack_udp_timeout"]);
});

t.test("what is not asked for is left as it is", { skip }, async (t) => {
  await setConntrack(kernel, TIMEOUTS, 1);
  const { written, kernel: seen } = watched();
  await setConntrack(seen, NOTHING, 64);
  t.strictSame(written, []);
  t.equal(await settingOf("tcp_be_liberal"), "1");
});

t.test(
  "a limit that is there already is not written, where that would be refused too",
  { skip: skip || hashsizeSkip },
  async (t) => {
    const { written, kernel: seen } = watched();
    const max = Number(await settingOf("max"));
    await setConntrack(seen, { ...NOTHING, maxPerCore: 1, min: max }, 1);
    t.strictSame(written, []);
  },
);

t.test("a refused value ends the daemon in these words", { skip }, async (t) => {
  // More seconds than the kernel counts to.
  const refused = setConntrack(kernel, { ...NOTHING, udpTimeout: 1e15 }, 1);
  await t.rejects(refused, {
    message:
      /^could not set conntrack parameters from kube-proxy configuration: sysctl net\/netfilter\/nf_conntrack_udp_timeout: /,
  });
});

t.test("the size of the hash table is where the kernel has it", { skip }, async (t) => {
  if (present === undefined) t.comment("who runs this may not read it");
  else t.equal(present, readFileSync(HASHSIZE, "utf8").trim());
  const found = present === undefined ? [] : [{ path: HASHSIZE, value: present }];
  t.strictSame(await kernel.sysctls([HASHSIZE, "net/no/such"]), found);
});
