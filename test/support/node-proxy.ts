// How does the node proxy itself come to run in the node's namespace, and when are its rules there?
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { parse, stringify } from "yaml";
import { z } from "zod";
import type { Cluster } from "./cluster.ts";
import { inNamespace } from "./iptables-variant.ts";
import { holdsMarker, holdsMarkerServers, markerManifests } from "./marker.ts";
import type { Netns } from "./netns.ts";
import type { Program } from "./program.ts";

const Config = z.looseObject({ iptables: z.looseObject({}).default({}) });

// Settings of the whole machine are out of reach in a namespace, and one port is where a fixture sends packets.
const HERE = {
  conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
  metricsBindAddress: "127.0.0.1:10349",
};

/** Milliseconds: after so many, rules that are not there are never coming; between two looks. */
const PATIENCE = { rules: 120_000, look: 25 };

/** The last rules of both tables in IPVS mode, as far as every cluster has them. */
const SHARED = [" -m conntrack --ctstate NEW -m set --match-set KUBE-", "-A KUBE-SERVICES -m set --match-set KUBE-"];

interface Sign {
  readonly command: readonly string[];
  readonly holds: (text: string, turn: number) => boolean;
}

/** Where the proxy runs, and what it is. */
export interface Place {
  readonly node: Netns;
  readonly env: NodeJS.ProcessEnv;
  readonly program: Program;
  /** Absent: what the cluster's configuration says. */
  readonly mode?: "ipvs";
  readonly layout?: "Indexed";
}

/** `fairlead run` in the node's namespace, following one manifest file. It ends with `close` and with the test. */
export class NodeProxy {
  readonly #place: Place;
  readonly #folder = mkdtempSync("/run/fairlead-proxy-");
  #child: ChildProcessByStdio<null, null, Readable> | undefined;
  #said = "";
  #turn = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  /**
   * Gives the proxy a cluster in place of the one of before, and waits until the kernel holds it. The first one starts
   * the process; later ones must have the same `settings`. Rejects with all that the process said when it ends or the
   * rules do not come.
   */
  async show(cluster: Cluster): Promise<void> {
    this.#turn += 1;
    this.#writeManifests(cluster);
    this.#child ??= this.#start(cluster);
    const deadline = Date.now() + PATIENCE.rules;
    for (const { command, holds } of this.#signs()) {
      while (!holds(await inNamespace(this.#place.node, command, this.#place), this.#turn)) {
        if (this.#child.exitCode !== null) throw new Error(`the node proxy has ended\n${this.#said}`);
        if (Date.now() > deadline) throw new Error(`the rules of ${cluster.name} do not come\n${this.#said}`);
        await sleep(PATIENCE.look);
      }
    }
  }

  /** What must be seen, and by which commands: rules, or virtual servers, the last of which go when rules are in. */
  #signs(): readonly Sign[] {
    const saves = [["iptables-save"], ["ip6tables-save"]];
    if (this.#place.mode === undefined) return saves.map((command) => ({ command, holds: holdsMarker }));
    const rules = saves.map((command) => ({
      command,
      holds: (text: string) => SHARED.every((rule) => text.includes(rule)),
    }));
    return [{ command: ["ipvsadm", "-Sn"], holds: holdsMarkerServers }, ...(this.#turn === 1 ? rules : [])];
  }

  /** Ends the process; its rules stay. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("close", resolve));
    child.kill("SIGTERM");
    await ended;
  }

  #start(cluster: Cluster): ChildProcessByStdio<null, null, Readable> {
    const { node, env, program } = this.#place;
    const config = join(this.#folder, "config.yaml");
    writeFileSync(config, configOf(cluster, this.#place));
    // The process must not outlive the test, however that ends.
    const inside = ["--pdeathsig", "KILL", "nsenter", `--net=${node.path}`, ...program];
    const run = ["run", "--manifests", join(this.#folder, "manifests"), "--config", config];
    const child = spawn("setpriv", [...inside, ...run], { env, stdio: ["ignore", "ignore", "pipe"] });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#said += text;
    });
    return child;
  }

  // Renamed into place: the process never sees half of a file.
  #writeManifests({ folder }: Cluster): void {
    const manifests = join(this.#folder, "manifests");
    mkdirSync(manifests, { recursive: true });
    const text = readFileSync(join(folder, "cluster.yaml"), "utf8");
    writeFileSync(join(this.#folder, "new"), `${text}\n${markerManifests(this.#turn)}`);
    renameSync(join(this.#folder, "new"), join(manifests, "cluster.yaml"));
  }
}

function configOf({ folder, nodeName }: Cluster, { mode, layout }: Place): string {
  const config = Config.parse(parse(readFileSync(join(folder, "config.yaml"), "utf8")));
  const iptables = { ...config.iptables, minSyncPeriod: "10ms", ...(layout && { layout }) };
  return stringify({ ...config, ...HERE, ...(mode && { mode }), iptables, hostnameOverride: nodeName });
}
