// How is what a ServicePort needs in the kernel written out, and only when somebody asks for it?
import type { ServiceTraffic } from "../model/traffic.ts";
import type { Chain, Fragment, IpvsShare, Shares, TableName } from "../state/kernel-state.ts";

/** How ServicePorts are written under the same settings. Each is as in a Fragment. */
export interface Writing {
  readonly sizeOf: (traffic: ServiceTraffic) => number;
  readonly chainsOf: (traffic: ServiceTraffic, table: TableName) => readonly Chain[];
  readonly sharesOf: (traffic: ServiceTraffic, table: TableName) => Shares;
  readonly ipvsOf?: (traffic: ServiceTraffic) => IpvsShare;
}

/** The fragment of one ServicePort. There are tens of thousands, so each has nothing but what it is made of. */
export class WrittenFragment implements Fragment {
  readonly #writing: Writing;
  readonly #traffic: ServiceTraffic;

  constructor(writing: Writing, traffic: ServiceTraffic) {
    this.#writing = writing;
    this.#traffic = traffic;
  }

  get key(): string {
    const { text, protocol } = this.#traffic.servicePort;
    // Joined, so that whoever keeps it keeps one text and not two.
    return [text, protocol].join("/");
  }

  get size(): number {
    return this.#writing.sizeOf(this.#traffic);
  }

  chains(table: TableName): readonly Chain[] {
    return this.#writing.chainsOf(this.#traffic, table);
  }

  shares(table: TableName): Shares {
    return this.#writing.sharesOf(this.#traffic, table);
  }

  ipvs(): IpvsShare | undefined {
    return this.#writing.ipvsOf?.(this.#traffic);
  }
}
