// Serves the health-check node ports of Services: a load balancer learns here whether this node has endpoints.
import type { Family } from "../net/family.ts";
import type { Log } from "../sync/log.ts";
import { type Observer, type ServiceHealth, type SetAsideService, together } from "../sync/observer.ts";
import { type Answer, json } from "./answer.ts";
import { type Connections, type Listening, listen } from "./http-server.ts";
import { quarantinedIn, serviceOf } from "./quarantine.ts";
import type { Warning } from "./warning.ts";

export interface ServiceHealthInput {
  readonly nodeName: string;
  /** Of each family that has a loop, the node addresses that answer on nodePorts as they were at start. */
  readonly nodePortAddresses: ReadonlyMap<Family, "all" | readonly string[]>;
  /** Is the proxy healthy? Whether the node stays is not asked. */
  readonly healthy: () => boolean;
  readonly log: Log;
  readonly connections: Connections;
  readonly warn: (warning: Warning) => void;
}

/** Servers at the health-check nodePorts: after each good pass there is one for each Service that wants one. */
export class ServiceHealthServers {
  readonly #families = new Map<Family, FamilyServers>();

  constructor(input: ServiceHealthInput) {
    for (const [family, addresses] of input.nodePortAddresses) {
      const places = addresses === "all" ? [family === "IPv4" ? "0.0.0.0" : "::"] : addresses;
      this.#families.set(family, new FamilyServers(places, input));
    }
  }

  /** To be told what the loops do. */
  readonly observer: Observer = {
    ...together([]),
    passed: (family, { failure, serviceHealth, setAside }) => {
      if (!failure) this.#families.get(family)?.want(withoutQuarantined(serviceHealth, setAside));
    },
  };

  /** Resolves when all that is under way has come to rest. */
  async settled(): Promise<void> {
    await Promise.all([...this.#families.values()].map((servers) => servers.settled()));
  }

  /** What is told afterwards opens nothing. */
  async close(): Promise<void> {
    const all = [...this.#families.values()];
    this.#families.clear();
    for (const servers of all) servers.want([]);
    await Promise.all(all.map((servers) => servers.settled()));
  }
}

/** Sockets of one Service, one at each address, and what is said at them. */
interface OpenPort {
  readonly port: number;
  readonly sockets: Listening[];
  service: ServiceHealth;
}

class FamilyServers {
  readonly #hosts: readonly string[];
  readonly #input: ServiceHealthInput;
  readonly #open = new Map<string, OpenPort>();
  #wanted: ReadonlyMap<string, ServiceHealth> = new Map();
  #stale = false;
  #running: Promise<void> | undefined;

  constructor(hosts: readonly string[], input: ServiceHealthInput) {
    this.#hosts = hosts;
    this.#input = input;
  }

  /** Counts hold at once; sockets follow. What cannot be opened is tried again when this is called again. */
  want(services: readonly ServiceHealth[]): void {
    this.#wanted = new Map(services.map((service) => [`${service.namespace}/${service.name}`, service]));
    this.#tellCounts();
    this.#stale = true;
    this.#running ??= this.#follow();
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  async #follow(): Promise<void> {
    while (this.#stale) {
      this.#stale = false;
      const wanted = this.#wanted;
      await this.#closeOthers(wanted);
      for (const [key, service] of wanted) if (!this.#open.has(key)) await this.#openPort(key, service);
    }
    this.#running = undefined;
  }

  async #closeOthers(wanted: ReadonlyMap<string, ServiceHealth>): Promise<void> {
    for (const [key, { port, sockets }] of this.#open) {
      if (wanted.get(key)?.port === port) continue;
      this.#input.log.debug(2, { service: key, port }, "Closing the health-check port of a Service");
      this.#open.delete(key);
      await closeAll(sockets);
    }
  }

  async #openPort(key: string, service: ServiceHealth): Promise<void> {
    const { log, warn, nodeName } = this.#input;
    const { namespace, name, port } = service;
    const open: OpenPort = { port, service, sockets: [] };
    try {
      for (const host of this.#hosts) open.sockets.push(await this.#listen(open, host));
      this.#open.set(key, open);
      this.#tellCounts();
      log.debug(2, { service: key, port }, "Opened the health-check port of a Service");
    } catch (error) {
      await closeAll(open.sockets);
      log.error({ service: key, port, err: String(error) }, "Cannot open the health-check port of a Service");
      const note = `node ${nodeName} cannot open health-check port ${port} of Service ${key}: ${error}`;
      warn({ reason: "FailedToStartServiceHealthcheck", action: "Listen", service: { namespace, name }, note });
    }
  }

  #listen(open: OpenPort, host: string): Promise<Listening> {
    const { log, connections } = this.#input;
    return listen({
      place: { host, port: open.port, ipv6Only: true },
      log,
      connections,
      keepAlive: false,
      answer: () => answerOf(open.service, this.#input.healthy()),
    });
  }

  /** One that is to be closed goes on to say what it said. */
  #tellCounts(): void {
    for (const [key, open] of this.#open) open.service = this.#wanted.get(key) ?? open.service;
  }
}

/** A load balancer must not send traffic to this node for a Service whose rules the kernel rejected. */
function withoutQuarantined(
  services: readonly ServiceHealth[],
  setAside: readonly SetAsideService[],
): readonly ServiceHealth[] {
  if (setAside.length === 0) return services;
  const quarantined = new Set([...quarantinedIn(setAside).keys()].map(serviceOf));
  return services.map((one) => {
    return quarantined.has(`${one.namespace}/${one.name}`) ? { ...one, localEndpoints: 0 } : one;
  });
}

function answerOf({ namespace, name, localEndpoints }: ServiceHealth, serviceProxyHealthy: boolean): Answer {
  const body = { service: { namespace, name }, localEndpoints, serviceProxyHealthy };
  const well = localEndpoints > 0 && serviceProxyHealthy;
  const { headers, ...answer } = json(JSON.stringify(body, undefined, "\t"), well ? 200 : 503);
  return { ...answer, headers: { ...headers, "X-Load-Balancing-Endpoint-Weight": `${localEndpoints}` } };
}

async function closeAll(sockets: readonly Listening[]): Promise<void> {
  await Promise.all(sockets.map((socket) => socket.close()));
}
