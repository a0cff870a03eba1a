// How is a change of virtual and real servers written for `ipvsadm -R`?
import { printServers } from "../state/ipvsadm-text.ts";
import type { RealIdentity, Retirement, ServerChange, ServerSettings } from "../state/server-change.ts";
import type { RealServer, ServerIdentity } from "../state/virtual-server.ts";

/** The line for one change. */
export function printServerChange(change: ServerChange): string {
  switch (change.kind) {
    case "add-server":
      return serverLine("-A", change.server);
    case "set-server":
      return serverLine("-E", change.server);
    case "remove-server":
      return `-D ${printName(change.server)}`;
    case "add-real":
      return realLine("-a", change.server, change.real);
    case "set-real":
      return realLine("-e", change.server, change.real);
    case "remove-real":
      return removalLine(change.server, change.real);
  }
}

/** One that still gets connections gets no more; one that gets none goes. */
export function printRetirement({ server, real }: Retirement): string {
  return real.weight === 0 ? removalLine(server, real) : realLine("-e", server, { ...real, weight: 0 });
}

function serverLine(command: "-A" | "-E", server: ServerSettings): string {
  const [line = ""] = printServers([{ ...server, realServers: [] }]);
  return `${command}${line.slice(2)}`;
}

/** What an identity lacks, and its name does not tell. */
const ANY = { scheduler: "rr", schedulerFlags: 0, persistence: 0 } as const;

function realLine(command: "-a" | "-e", { address, protocol, port }: ServerIdentity, real: RealServer): string {
  const [, line = ""] = printServers([{ ...ANY, address, protocol, port, realServers: [real] }]);
  return `${command}${line.slice(2)}`;
}

/** `-d -t 10.96.0.1:443 -r 10.71.1.5:6443`. */
function removalLine(server: ServerIdentity, { address, port }: RealIdentity): string {
  const words = realLine("-a", server, { address, port, method: "masquerade", weight: 0 }).split(" ");
  return ["-d", ...words.slice(1, 5)].join(" ");
}

/** `-t 10.96.0.1:443`. */
function printName({ address, protocol, port }: ServerIdentity): string {
  return serverLine("-A", { ...ANY, address, protocol, port })
    .split(" ")
    .slice(1, 3)
    .join(" ");
}
