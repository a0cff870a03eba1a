// Does each scheduler spread connections as its name says?
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import t, { type Test } from "tap";
import { buildEndpoint, buildPort, buildRecord, buildService, buildSlice } from "../support/build.ts";
import { HeldConnection } from "../support/held-connection.ts";
import { IpvsNode, makeNode, POD_PORT, PODS } from "../support/ipvs-node.ts";
import { shownServers } from "../support/shown-ipvs.ts";

t.setTimeout(600_000);

const VIP = "10.96.1.1";

/** Addresses of the node from which clients come. */
const CLIENTS = Array.from({ length: 8 }, (_, index) => `192.0.2.${20 + index}`);

const BOTH = [...Object.values(PODS)].sort();

const host = await makeNode();
t.teardown(() => host.end());
for (const client of CLIENTS) await execa("ip", ["addr", "add", `${client}/32`, "dev", "eth0"]);

/** A Service of two pods under this scheduler, until the test is over. */
async function schedule(t: Test, scheduler: string): Promise<void> {
  const node = new IpvsNode({ ipvs: { scheduler, strictARP: false, excludeCIDRs: [] } });
  t.teardown(() => node.stop());
  const service = buildService({ clusterIP: VIP, ports: [buildPort({ name: "tcp", port: 80 })] });
  const ports = [{ name: "tcp", protocol: "TCP" as const, port: POD_PORT }];
  const endpoints = Object.values(PODS).map((pod) => buildEndpoint(pod));
  // Servers of the test before would be kept, with what their scheduler knows.
  await node.show();
  await node.show(buildRecord(service, buildSlice(endpoints, { service: service.name, name: "web-1", ports })));
  t.match((await shownServers())[0], ` -s ${scheduler}`, "the kernel runs it");
}

/** Connections one behind the other, all held, and the pod that each has. */
class Clients {
  readonly #held: HeldConnection[] = [];

  async open(from?: string): Promise<string> {
    const connection = await HeldConnection.open(VIP, 80, from);
    this.#held.push(connection);
    return connection.ask();
  }

  async openMany(count: number): Promise<readonly string[]> {
    const pods: string[] = [];
    for (let each = 0; each < count; each++) pods.push(await this.open());
    return pods;
  }

  /** The first one ends, and IPVS has seen it. */
  async endFirst(): Promise<void> {
    this.#held.shift()?.drop();
    await sleep(300);
  }

  endAll(): void {
    for (const connection of this.#held) connection.drop();
  }
}

function clientsOf(t: Test): Clients {
  const clients = new Clients();
  t.teardown(() => clients.endAll());
  return clients;
}

for (const scheduler of ["rr", "wrr"]) {
  t.test(`${scheduler} goes round, evenly and in turn`, async (t) => {
    await schedule(t, scheduler);
    const pods = await clientsOf(t).openMany(6);
    t.same([...new Set(pods.slice(0, 2))].sort(), BOTH, "first one, then the other");
    t.same(pods, [...pods.slice(0, 2), ...pods.slice(0, 2), ...pods.slice(0, 2)], "and so on");
  });
}

for (const scheduler of ["lc", "wlc", "sed", "nq"]) {
  t.test(`${scheduler} goes where there is least to do`, async (t) => {
    await schedule(t, scheduler);
    const clients = clientsOf(t);
    const [first, second] = await clients.openMany(2);
    t.same([first, second].sort(), BOTH, "the second pod has nothing to do yet");
    await clients.endFirst();
    t.equal(await clients.open(), first, "the pod whose connection has ended has less to do");
  });
}

t.test("sh goes by client", async (t) => {
  await schedule(t, "sh");
  const clients = clientsOf(t);
  const once: string[] = [];
  for (const client of CLIENTS) once.push(await clients.open(client));
  const again: string[] = [];
  for (const client of CLIENTS) again.push(await clients.open(client));
  t.same(again, once, "each client has its pod");
  t.same([...new Set(once)].sort(), BOTH, "not all of them the same");
});

for (const scheduler of ["dh", "lblc", "lblcr", "fo"]) {
  t.test(`${scheduler} goes to one pod for one destination`, async (t) => {
    await schedule(t, scheduler);
    const clients = clientsOf(t);
    const pods = [await clients.open(CLIENTS[0]), await clients.open(CLIENTS[1])];
    t.equal(pods[0], pods[1], "whoever the client is");
  });
}

t.test("mh goes by client and port", async (t) => {
  await schedule(t, "mh");
  t.same([...new Set(await clientsOf(t).openMany(16))].sort(), BOTH, "one client has several ports, and so both pods");
});

t.test("ovf fills one pod and then goes to the next", async (t) => {
  await schedule(t, "ovf");
  const pods = await clientsOf(t).openMany(3);
  t.equal(pods[0], pods[1], "one connection is not yet too much for a weight of one");
  t.not(pods[2], pods[0], "two are");
});

for (const scheduler of ["sh", "mh", "dh"]) {
  t.test(`${scheduler} refuses whom it leads to a pod that drains`, async (t) => {
    await schedule(t, scheduler);
    const clients = clientsOf(t);
    const pod = await clients.open(CLIENTS[0]);
    await execa("ipvsadm", ["-e", "-t", `${VIP}:80`, "-r", `${pod}:${POD_PORT}`, "-m", "-w", "0"]);
    const ends = new Set<string>();
    for (const client of [...CLIENTS, ...CLIENTS]) ends.add(await clients.open(client).catch(({ code }) => code));
    const others = scheduler === "dh" ? [] : BOTH.filter((other) => other !== pod);
    t.same([...ends].sort(), [...others, "ECONNREFUSED"].sort(), "others have the other pod");
  });
}
