// ServicePorts whose rules the kernel rejects: found in few restores, with the rules that the kernel has left in place.
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import type { Command } from "../../src/kernel/command.ts";
import { machine } from "../../src/kernel/kernel.ts";
import type { Fragment, KernelState } from "../../src/state/kernel-state.ts";
import { Keeper } from "../../src/sync/keeper.ts";
import { createLog } from "../../src/sync/log.ts";
import { PassLog } from "../../src/sync/pass-log.ts";
import { isTransient, Quarantine } from "../../src/sync/quarantine.ts";
import { HandClock } from "../support/clock.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { buildChain, buildFragment, buildState } from "../support/fragments.ts";
import { BACKEND } from "../support/templates.ts";

const SECOND = 1000;
const PERIOD = 30 * SECOND;

/** A match that the tools reject. */
const BAD = "-m bad --worse";

/** The rules of one ServicePort with this endpoint, as kube-proxy writes them. */
function servicePort(number: number, endpoint = "10.1.0.1:80", match = ""): Fragment {
  const hash = String(number).padStart(16, "0");
  const [svc, sep] = [`KUBE-SVC-${hash}`, `KUBE-SEP-${endpoint.replace(/\D/g, "").padStart(8, "0")}${hash.slice(8)}`];
  const own = [
    {
      ...buildChain(svc),
      rules: [{ line: `-A ${svc} -m comment --comment "ns/s${number}:http -> ${endpoint}" -j ${sep}` }],
    },
    {
      ...buildChain(sep),
      rules: [{ line: `-A ${sep} -p tcp -m tcp${match && ` ${match}`} -j DNAT --to-destination ${endpoint}` }],
    },
  ];
  const address = `10.0.${number >> 8}.${number & 255}/32`;
  const line = `-A KUBE-SERVICES -d ${address} -p tcp -m comment --comment "ns/s${number}:http cluster IP" -m tcp --dport 80 -j ${svc}`;
  const shares = new Map([["KUBE-SERVICES", [{ line }]]]);
  return {
    ...buildFragment(`ns/s${number}:http/TCP`, [], own),
    shares: (table) => (table === "nat" ? shares : new Map()),
  };
}

function servicePorts(count: number, of: (number: number) => Fragment = servicePort): readonly Fragment[] {
  return Array.from({ length: count }, (_, number) => of(number));
}

/** A node whose tools are programmed with a state; `restart` is a daemon that knows nothing of it. */
class FakeNode {
  readonly tools = new FakeIptables();
  readonly clock = new HandClock();
  readonly log: string[] = [];
  keeper = this.restart();

  restart(): Keeper {
    const kernel = { ...machine(this.tools.run), moved: async () => false };
    this.keeper = new Keeper(
      { kernel, backend: BACKEND, variant: "legacy" },
      { clock: this.clock, syncPeriod: PERIOD },
    );
    return this.keeper;
  }

  async sync(state: KernelState) {
    this.tools.log.length = 0;
    const kept = await this.keeper.keep(state);
    const log = createLog("text", (line) => this.log.push(line))("pass.ts");
    new PassLog({ family: "IPv4", mode: "iptables", clock: this.clock, log }).end(kept);
    return { ...kept, keys: kept.rejected.map(({ refused }) => refused.key).sort(), restores: this.restores() };
  }

  restores(): number {
    return this.tools.log.filter(({ program }) => program.endsWith("-restore")).length;
  }

  /** Endpoints that the rules in the kernel lead to, by number of the ServicePort that KUBE-SERVICES has a rule for. */
  served(): ReadonlyMap<number, string> {
    const text = this.tools.save();
    const sep = new Map(
      [...text.matchAll(/^-A (KUBE-SVC-\S+) .*-j (KUBE-SEP-\S+)$/gm)].map(([, svc, sep]) => [svc, sep]),
    );
    const to = new Map(
      [...text.matchAll(/^-A (KUBE-SEP-\S+) .*--to-destination (\S+)$/gm)].map(([, sep, to]) => [sep, to]),
    );
    const ways = [...text.matchAll(/^-A KUBE-SERVICES .*"ns\/s(\d+):http .*-j (\S+)$/gm)];
    return new Map(ways.map(([, number, svc]) => [Number(number), to.get(sep.get(svc)) ?? ""]));
  }
}

function changed(number: number, bad: ReadonlySet<number>): Fragment {
  return bad.has(number) ? servicePort(number, "10.1.0.2:80", BAD) : servicePort(number, "10.1.0.2:80");
}

for (const names of ["rule", "all", "commit"] as const) {
  for (const many of [1, 2, 25]) {
    t.test(`${many} rejected after a restart keep their present rules, said by ${names}`, async (t) => {
      const node = new FakeNode();
      await node.sync(buildState(servicePorts(60)));
      node.tools.names = names;
      node.tools.refuses = "--worse";
      node.restart();
      const bad = new Set(Array.from({ length: many }, (_, at) => 3 + at * 2));
      const { keys, failure, restores } = await node.sync(
        buildState(servicePorts(60, (number) => changed(number, bad))),
      );
      t.equal(failure, undefined);
      const exact = names === "all" || many < 25;
      if (exact) t.strictSame(keys, [...bad].map((number) => `ns/s${number}:http/TCP`).sort());
      t.ok(restores <= 20, `${restores} restores`);
      const served = node.served();
      t.equal(served.size, 60, "every Service still has its rule");
      for (const number of bad) t.equal(served.get(number), "10.1.0.1:80", "with the endpoint it had");
      for (const [number, endpoint] of served) {
        if (exact && !bad.has(number)) t.equal(endpoint, "10.1.0.2:80", "all others have the new endpoint");
      }
      t.match(
        node.log.join("\n"),
        /quarantined and retried later, its present rules stay.*servicePort="ns\/s3:http\/TCP"/,
      );
    });
  }
}

t.test(
  "100 of 2000 that share the rejected match are left out together, and the rest is applied at once",
  async (t) => {
    const node = new FakeNode();
    node.tools.refuses = "--worse";
    const bad = new Set(Array.from({ length: 100 }, (_, at) => at * 20));
    const { keys, restores } = await node.sync(buildState(servicePorts(2000, (number) => changed(number, bad))));
    t.equal(keys.length, 100);
    t.ok(restores <= 8, `${restores} restores`);
    t.equal(node.served().size, 1900);
  },
);

t.test("the match that the tool quotes is enough to leave out all that share it", async (t) => {
  const node = new FakeNode();
  const bad = new Set([1, 5, 9]);
  node.tools.fault = ({ program, input }: Command) => {
    const lines = program.endsWith("-restore") ? [...(input ?? [])].join("").split("\n") : [];
    const at = lines.findIndex((line) => line.includes("-m bad"));
    return at < 0
      ? undefined
      : `iptables-restore v1.8.9 (legacy): Couldn't load match \`bad':No such file\nError occurred at line: ${at + 1}`;
  };
  const { keys, restores } = await node.sync(buildState(servicePorts(20, (number) => changed(number, bad))));
  t.strictSame(keys, ["ns/s1:http/TCP", "ns/s5:http/TCP", "ns/s9:http/TCP"]);
  t.equal(restores, 4, "rejected, tried again, applied without the three, let in together");
});

t.test("what only shares a match with a rejected Service is let in", async (t) => {
  const node = new FakeNode();
  node.tools.refuses = "10.1.0.2:81";
  const of = (number: number) => {
    if (number < 2) return servicePort(number, "10.1.0.2:81", "-m recent --set");
    return number < 4 ? servicePort(number, "10.1.0.2:80", "-m recent --set") : servicePort(number);
  };
  const { keys } = await node.sync(buildState(servicePorts(20, of)));
  t.strictSame(keys, ["ns/s0:http/TCP", "ns/s1:http/TCP"]);
  t.equal(node.served().size, 18);
});

t.test("one restore that is rejected and accepted the second time quarantines nothing", async (t) => {
  const node = new FakeNode();
  await node.sync(buildState(servicePorts(10)));
  node.restart();
  let faults = 1;
  node.tools.fault = ({ program }) =>
    program.endsWith("-restore") && faults-- > 0 ? "line 3: RULE_APPEND failed (Invalid argument)" : undefined;
  const { keys, failure, restores } = await node.sync(buildState(servicePorts(11)));
  t.strictSame([keys, failure, restores], [[], undefined, 2]);
  t.match(node.log.join("\n"), /W.*"Kernel rejected a change; trying again" .*attempt=1 .*RULE_APPEND failed/s);
});

const TRANSIENT = [
  "line 3: RULE_APPEND failed (Resource temporarily unavailable)",
  "line 3: CHAIN_USER_ADD failed (Device or resource busy)",
  "iptables-restore: line 9 failed: Cannot allocate memory",
  "netlink: No buffer space available",
  "Interrupted system call",
];

for (const words of TRANSIENT) {
  t.test(`no Service is to blame for "${words}"`, async (t) => {
    const node = new FakeNode();
    await node.sync(buildState(servicePorts(10)));
    node.restart();
    node.tools.fault = ({ program }) => (program.endsWith("-restore") ? words : undefined);
    const { keys, failure, restores } = await node.sync(buildState(servicePorts(11)));
    t.strictSame([keys, restores], [[], 1]);
    t.ok(failure && isTransient(failure.error));
    t.equal(node.served().size, 10, "the rules in the kernel stay");
    node.tools.fault = undefined;
    t.equal((await node.sync(buildState(servicePorts(11)))).failure, undefined);
    t.equal(node.served().size, 11);
  });
}

t.test("a transient error in the middle of a search ends it, and no Service is to blame", async (t) => {
  for (const after of [2, 3, 4, 5]) {
    const node = new FakeNode();
    node.tools.refuses = "10.1.0.2:80";
    node.tools.names = "commit";
    let restores = 0;
    node.tools.fault = ({ program }) =>
      program.endsWith("-restore") && restores++ >= after ? "line 3: (Device or resource busy)" : undefined;
    const of = (number: number) => servicePort(number, number === 4 ? "10.1.0.2:80" : undefined);
    const { keys, failure } = await node.sync(buildState(servicePorts(10, of)));
    t.strictSame(keys, [], `after ${after} restores`);
    t.ok(failure && isTransient(failure.error));
  }
});

for (const names of ["rule", "commit"] as const) {
  t.test(`when every restore is rejected no Service is to blame, said by ${names}`, async (t) => {
    const node = new FakeNode();
    await node.sync(buildState(servicePorts(30)));
    node.restart();
    node.tools.fault = ({ program, input }) => {
      if (!program.endsWith("-restore")) return undefined;
      const lines = [...(input ?? [])].join("").split("\n");
      const at = lines.findIndex((line) => (names === "rule" ? /^-A/.test(line) : line === "COMMIT"));
      return `iptables-restore: line ${at + 1} failed`;
    };
    const { keys, failure, restores } = await node.sync(
      buildState(servicePorts(30, (number) => changed(number, new Set()))),
    );
    t.strictSame(keys, []);
    t.ok(failure);
    t.ok(restores <= 20, `${restores} restores`);
    t.equal(node.served().size, 30, "the rules in the kernel stay");
    t.match(node.log.join("\n"), /E.*"Kernel rejected a change; the rules in the kernel stay, retrying"/);
  });
}

t.test("a search that takes too many restores goes on at the next retry", async (t) => {
  const node = new FakeNode();
  node.tools.refuses = "10.1.0.2:80";
  node.tools.names = "commit";
  const state = buildState(
    servicePorts(128, (number) => servicePort(number, number % 25 === 3 ? "10.1.0.2:80" : undefined)),
  );
  let syncs = 0;
  for (; node.served().size < 123 && syncs < 30; syncs++) {
    const { restores, failure } = await node.sync(state);
    t.ok(restores <= 21, `${restores} restores`);
    t.equal(failure, undefined);
    await node.clock.advance(node.keeper.nextLook ?? 0);
  }
  t.ok(syncs > 1);
  t.equal(node.served().size, 123, `after ${syncs} syncs`);
  t.equal(node.keeper.setAside.length, 5);
});

t.test("after a restart what cannot be rewritten in a shared chain is left out at last", async (t) => {
  const node = new FakeNode();
  await node.sync(buildState(servicePorts(5)));
  node.restart();
  node.tools.refuses = "ns/s2:http";
  const { keys, failure } = await node.sync(buildState(servicePorts(6, (number) => changed(number, new Set()))));
  t.strictSame([keys, failure], [["ns/s2:http/TCP"], undefined]);
  t.strictSame([...node.served().keys()], [0, 1, 3, 4, 5]);
});

t.test(
  "a new Service is added to a long shared chain without sending the entries of a rejected one again",
  async (t) => {
    const node = new FakeNode();
    await node.sync(buildState(servicePorts(100)));
    node.restart();
    node.tools.refuses = "ns/s2:http";
    const { keys, failure } = await node.sync(buildState(servicePorts(101, (number) => changed(number, new Set()))));
    t.strictSame([keys, failure], [["ns/s2:http/TCP"], undefined]);
    t.equal(node.served().size, 101);
    t.equal(node.served().get(2), "10.1.0.1:80", "it keeps the endpoint it had");
    t.equal(node.served().get(100), "10.1.0.2:80");
  },
);

const error = new KernelError({ step: "iptables-restore", target: "", code: "1", words: "no" });
const [old, bad, good] = [buildFragment("s"), buildFragment("s"), buildFragment("other")];

t.test("a quarantined ServicePort is tried again after 2 s, then twice as long, up to five minutes", async (t) => {
  const quarantine = new Quarantine();
  t.equal(quarantine.nextRetry(0), undefined);
  let now = 0;
  for (const wait of [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
    quarantine.add([{ refused: bad, error, instead: old }], now);
    t.equal(quarantine.nextRetry(now), wait * SECOND);
    const held = [...quarantine.withhold(buildState([good, bad]), now + wait * SECOND - 1).fragments];
    t.ok(held[0] === good && held[1] === old, `not before ${wait} s`);
    now += wait * SECOND;
    t.ok([...quarantine.withhold(buildState([good, bad]), now).fragments][1] === bad);
  }
});

t.test("a quarantined ServicePort that changed is tried every two seconds at most", async (t) => {
  const quarantine = new Quarantine();
  for (const at of [0, 1]) quarantine.add([{ refused: bad, error, instead: undefined }], at);
  const next = buildFragment("s");
  const tried = (now: number) => [...quarantine.withhold(buildState([good, next]), now).fragments].includes(next);
  t.notOk(tried(1 + 2 * SECOND - 1));
  t.ok(tried(1 + 2 * SECOND));
});

t.test("a ServicePort leaves quarantine when the kernel accepts it or when it is deleted", async (t) => {
  const quarantine = new Quarantine();
  quarantine.add([{ refused: bad, error, instead: old }], 0);
  quarantine.settle(buildState([good, old]));
  t.equal(quarantine.all().length, 1, "not while its previous version stands");
  quarantine.settle(buildState([good, bad]));
  t.equal(quarantine.all().length, 0);
  quarantine.add([{ refused: bad, error, instead: old }], 0);
  quarantine.withhold(buildState([good]), 0);
  t.equal(quarantine.all().length, 0);
});
