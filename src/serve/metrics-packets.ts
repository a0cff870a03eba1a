// How many packets has the kernel counted for us? Asked when somebody asks us.
import { KernelError } from "../errors.ts";
import { type Group, makeCounter } from "./metrics-makers.ts";

/** Where counters are read. */
export interface PacketInput {
  /** Packets that a named counter has seen; undefined when there is none of that name. */
  readonly readCounter: (name: string) => Promise<bigint | undefined>;
  /** Takes a line for the log. */
  readonly complain: (words: string) => void;
}

const COUNTERS = [
  {
    counter: "ct_state_invalid_dropped_pkts",
    name: "iptables_ct_state_invalid_dropped_packets_total",
    help: "Packets dropped because connection tracking takes them for invalid",
  },
  {
    counter: "localhost_nps_accepted_pkts",
    name: "iptables_localhost_nodeports_accepted_packets_total",
    help: "Packets to nodePorts on the loopback interface that were accepted",
  },
];

/** A counter that cannot be read is left out, and complained of once until it can be read again. */
export function countPackets(group: Group, input: PacketInput): void {
  for (const { counter, name, help } of COUNTERS) {
    const read = complainingRead(counter, input);
    const metric = makeCounter(group, {
      name,
      help,
      // Two may ask at the same time: nothing is changed before the kernel has answered.
      collect: async () => {
        const packets = await read();
        metric.remove();
        if (packets !== undefined) metric.inc(Number(packets));
      },
    });
  }
}

function complainingRead(counter: string, { readCounter, complain }: PacketInput): () => Promise<bigint | undefined> {
  let complained = false;
  return async () => {
    const answer = await readCounter(counter).catch(wordsOf);
    if (typeof answer === "bigint") {
      complained = false;
      return answer;
    }
    if (!complained) complain(`nfacct counter ${counter} cannot be read: ${answer ?? "there is none of that name"}`);
    complained = true;
    return undefined;
  };
}

/** Passes on what is no refusal by the kernel, for that is a fault of ours. */
function wordsOf(error: unknown): string {
  if (error instanceof KernelError) return error.message;
  throw error;
}
