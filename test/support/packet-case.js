// What does a line of `packets.yaml` say: which packet, and what must become of it?
import { parse } from "yaml";
import { z } from "zod";
const Outcome = z.union([
    z.object({ reaches: z.array(z.string()).min(1), masqueraded: z.boolean().optional() }),
    z.object({ dropped: z.literal(true) }),
    z.object({ rejected: z.literal(true) }),
    z.object({ none: z.literal(true) }),
]);
const Case = z
    .object({
    name: z.string(),
    from: z.string(),
    to: z.string(),
    in: z.string().optional(),
    modes: z.array(z.enum(["iptables", "ipvs"])).default(["iptables", "ipvs"]),
})
    .and(Outcome);
const DESTINATION = /^(?:\[(?<v6>[0-9a-f:.]+)\]|(?<host>[^:[\]]+)):(?<port>\d+)(?:\/(?<protocol>tcp|udp|sctp))?$/;
/** Reads the text of a `packets.yaml`; throws where a line is not understood. An empty text is no case at all. */
export function readCases(text) {
    return z.array(Case).parse(parse(text) ?? []);
}
/** Reads `ADDRESS:PORT/PROTOCOL`; without a protocol it is TCP. */
export function readDestination(text) {
    const { v6, host, port, protocol } = DESTINATION.exec(text)?.groups ?? {};
    if (port === undefined)
        throw new Error(`not a destination: ${text}`);
    return { host: v6 ?? host ?? "", port: Number(port), protocol: protocol ?? "tcp" };
}
