// Runs a kube-proxy binary on the bench's API server, for comparison with ours.
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { POD_RANGE } from "./cluster.ts";
import { type CpuTime, cpuTimeOf, NODE_NAME, type Weight, weigh } from "./daemon.ts";
import { FOLDER } from "./sandbox.ts";

const CONFIG = join(FOLDER, "kube-proxy.json");

/** kube-proxy in iptables mode with its defaults, except JSON: the bench's API server does not speak protobuf. */
export class KubeProxy {
  readonly #child: ChildProcess;

  constructor(path: string, kubeconfig: string) {
    const json = "application/json";
    const config = {
      apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
      kind: "KubeProxyConfiguration",
      clientConnection: { kubeconfig, contentType: json, acceptContentTypes: json },
      mode: "iptables",
      clusterCIDR: POD_RANGE,
      hostnameOverride: NODE_NAME,
      // The size of the conntrack table is a setting of the whole machine.
      conntrack: { maxPerCore: 0, min: 0 },
    };
    writeFileSync(CONFIG, JSON.stringify(config));
    const args = ["--pdeathsig", "KILL", path, "--config", CONFIG];
    this.#child = spawn("setpriv", args, { stdio: ["ignore", "ignore", process.env["BENCH_LOG"] ? 2 : "ignore"] });
  }

  cpu(): CpuTime {
    return cpuTimeOf(this.#child.pid ?? 0);
  }

  weigh(): Weight {
    return weigh(this.#child.pid ?? 0);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.kill("SIGTERM");
    await ended;
  }
}
