// On what machine, and how busy is it?
import { spawnSync } from "node:child_process";
import { availableParallelism, loadavg, release } from "node:os";

/** Kernel, tool, processors, Node and load, in one line. */
export function describeMachine(): string {
  const [load = 0] = loadavg();
  const cores = `${availableParallelism()} cores`;
  return [`Linux ${release()}`, toolVersion(), cores, `Node ${process.version}`, `load ${load.toFixed(2)}`].join(", ");
}

function toolVersion(): string {
  const env = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` };
  const { stdout } = spawnSync("iptables", ["--version"], { env, encoding: "utf8" });
  return /v[\d.]+/.exec(stdout)?.[0].replace("v", "iptables ") ?? "no iptables";
}
