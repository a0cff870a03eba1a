// What if the kernel remembered the UDP flows that a test writes down? A stand-in below the door to the machine.
import { KernelError } from "../../src/errors.ts";
import type { FoundFlows } from "../../src/kernel/conntrack.ts";
import type { Family } from "../../src/net/family.ts";
import type { FlowSearch, UdpFlow } from "../../src/state/udp-flow.ts";

export class FlowTable {
  #flows: UdpFlow[];
  /** What was searched, as text: `all`, or each `address:port`. */
  readonly looks: string[] = [];
  /** What goes wrong with the next calls. */
  fault: "none" | "reading" | "disturbed" | "deleting" | "bug" = "none";

  constructor(...flows: readonly UdpFlow[]) {
    this.#flows = [...flows];
  }

  add(...flows: readonly UdpFlow[]): void {
    this.#flows.push(...flows);
  }

  /** `destination by server` of each flow that is left. */
  get left(): readonly string[] {
    return this.#flows.map(({ destination, server }) => `${destination.text} by ${server.text}`);
  }

  readonly flows = async (family: Family, searches: "all" | readonly FlowSearch[]): Promise<FoundFlows> => {
    this.looks.push(
      searches === "all" ? "all" : searches.map(({ address = "", port }) => `${address}:${port}`).join(" "),
    );
    if (this.fault === "bug") throw new TypeError("a bug");
    if (this.fault === "reading") throw refusal("ENOMEM");
    const isFound = ({ destination }: UdpFlow, search: FlowSearch) =>
      destination.port === search.port && (search.address ?? destination.address) === destination.address;
    const found = this.#flows.filter((flow) => {
      return flow.family === family && (searches === "all" || searches.some((search) => isFound(flow, search)));
    });
    return { flows: found, whole: this.fault !== "disturbed" };
  };

  readonly deleteFlows = async (flows: readonly UdpFlow[]): Promise<number> => {
    if (this.fault === "deleting") throw refusal("EBUSY");
    const gone = new Set(flows.map(({ id }) => id));
    const before = this.#flows.length;
    this.#flows = this.#flows.filter(({ id }) => !gone.has(id));
    return before - this.#flows.length;
  };
}

function refusal(code: string): KernelError {
  return new KernelError({ step: "conntrack", target: "flows", code, words: "the kernel says no" });
}
