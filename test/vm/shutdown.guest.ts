// Ends the daemon in IPVS mode with SIGTERM while a tool hangs, on a kernel that has IPVS.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import t from "tap";
import { Daemon } from "../support/daemon.ts";
import { guestProgram } from "../support/guest-program.ts";

t.setTimeout(300_000);

const SERVICE = `apiVersion: v1
kind: Service
metadata: {namespace: shop, name: cart}
spec: {type: ClusterIP, clusterIP: 10.96.0.7, clusterIPs: [10.96.0.7], ports: [{protocol: TCP, port: 80}]}
`;

for (const tool of ["iptables-restore", "iptables-save"]) {
  t.test(`SIGTERM ends the daemon in IPVS mode and an ${tool} that ignores it`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "fairlead-stop-"));
    t.teardown(() => rmSync(folder, { recursive: true }));
    const [manifests, pids] = [join(folder, "cluster.yaml"), join(folder, "pids")];
    writeFileSync(manifests, SERVICE);
    const script = `#!/bin/sh\ntrap '' TERM\nsleep 100000 & echo $$ $! >>${pids}\nwait; wait\n`;
    writeFileSync(join(folder, tool), script, { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH ?? ""}` };
    const flags = ["run", "--proxy-mode=ipvs", "--manifests", manifests, "--conntrack-max-per-core=0"];
    const daemon = new Daemon(flags, { path: "/proc/self/ns/net" }, env, guestProgram());
    t.teardown(() => daemon.stop("SIGKILL"));
    while (!existsSync(pids)) await sleep(50);
    t.equal(await daemon.stop(), 0);
    t.match(daemon.lines.join("\n"), /"Starting" mode="ipvs"[\s\S]*"Shutdown takes too long/);
    const left = readFileSync(pids, "utf8").trim().split(/\s+/).map(Number);
    for (let look = 0; look < 100 && left.some(isRunning); look++) await sleep(50);
    t.strictSame(left.filter(isRunning), [], "no tool is left running");
  });
}

function isRunning(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^\S+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}
