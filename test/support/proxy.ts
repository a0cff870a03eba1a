// How does the node proxy itself come to run in the node's namespace, and when are its rules there?
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { parse, stringify } from "yaml";
import { z } from "zod";
import type { Cluster } from "./cluster.ts";
import type { Netns } from "./netns.ts";
import type { Program } from "./program.ts";

const Config = z.looseObject({});

// Settings of the whole machine are out of reach in a namespace, and one port is where a fixture sends packets.
const HERE = {
  conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
  metricsBindAddress: "127.0.0.1:10349",
};

/** Milliseconds until rules that are not there count as never coming. */
const PATIENCE = 30_000;

const FAMILIES = ["IPv4", "IPv6"];

/** A node proxy at work. */
export interface Proxy {
  /** Ends the process; its rules stay. */
  close(): Promise<void>;
}

/**
 * Starts `fairlead run` on a cluster in a namespace without rules, and waits until both families' rules are there.
 * Rejects with all that the process said when it ends or stays silent before.
 */
export async function startProxy(
  cluster: Cluster,
  node: Netns,
  { program, env }: { readonly program: Program; readonly env: NodeJS.ProcessEnv },
): Promise<Proxy> {
  const run = ["run", "--manifests", join(cluster.folder, "cluster.yaml"), "--config", writeConfig(cluster)];
  // The process must not outlive the test, however that ends.
  const inside = ["--pdeathsig", "KILL", "nsenter", `--net=${node.path}`];
  const child = spawn("setpriv", [...inside, ...program, ...run], { env, stdio: ["ignore", "ignore", "pipe"] });
  await converged(child);
  return { close: () => close(child) };
}

function writeConfig({ folder, nodeName }: Cluster): string {
  const config = Config.parse(parse(readFileSync(join(folder, "config.yaml"), "utf8")));
  const file = join(mkdtempSync("/run/fairlead-config-"), "config.yaml");
  writeFileSync(file, stringify({ ...config, ...HERE, hostnameOverride: nodeName }));
  return file;
}

function converged(child: ChildProcessByStdio<null, null, Readable>): Promise<void> {
  const said: string[] = [];
  const missing = new Set(FAMILIES);
  return new Promise((resolve, reject) => {
    const fail = (what: string): void => reject(new Error(`${what}\n${said.join("\n")}`));
    const timer = setTimeout(() => fail(`no rules of ${[...missing].join(" and ")} in time`), PATIENCE);
    child.once("close", (code) => fail(`the node proxy ended with ${code}`));
    createInterface({ input: child.stderr }).on("line", (line) => {
      said.push(line);
      if (!line.includes("SyncProxyRules complete")) return;
      for (const family of FAMILIES) if (line.includes(family)) missing.delete(family);
      if (missing.size > 0) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

async function close(child: ChildProcessByStdio<null, null, Readable>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGTERM");
  await ended;
}
