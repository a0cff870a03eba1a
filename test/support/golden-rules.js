// How do the rules of a golden file get into a namespace with nothing but an operator's own tools?
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inNamespace } from "./iptables-variant.js";
/** Loads both families' golden text of a cluster: settings first, then each tool's section by its restore command. */
export async function restoreGolden(cluster, node, env) {
    for (const family of ["v4", "v6"]) {
        const sections = readSections(readFileSync(join(cluster.folder, `iptables.${family}.rules`), "utf8"));
        await node.agent.sysctl(settingsOf(sections.get("sysctl") ?? ""));
        for (const tool of ["iptables", "ip6tables"]) {
            const input = sections.get(tool);
            if (input !== undefined)
                await inNamespace(node, [`${tool}-restore`, "-w", "--noflush"], { env, input });
        }
    }
}
function readSections(text) {
    const parts = text.split(/^# (\w+)\n/m).slice(1);
    return new Map(parts.flatMap((name, at) => (at % 2 === 0 ? [[name, parts[at + 1] ?? ""]] : [])));
}
// `net.ipv4.conf.all.route_localnet = 1` becomes a path under /proc/sys and a value.
function settingsOf(section) {
    const pairs = section.split("\n").flatMap((line) => {
        const [name, value] = line.split(" = ");
        return name === undefined || value === undefined ? [] : [[name.replaceAll(".", "/"), value]];
    });
    return Object.fromEntries(pairs);
}
