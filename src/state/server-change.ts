// What can be done to virtual and real servers?
import type { RealServer, ServerIdentity, VirtualServer } from "./virtual-server.ts";

/** A virtual server but for its real servers. */
export type ServerSettings = Omit<VirtualServer, "realServers">;

/** A real server as told from the others behind a virtual server. */
export type RealIdentity = Pick<RealServer, "address" | "port">;

/** A real server that gets no new connection, and goes when its last one has ended. */
export interface Retirement {
  readonly server: ServerIdentity;
  readonly real: RealServer;
}

/**
 * One change. What is to be added and is there already is set; what is to be removed, or to drain (weight 0), and is
 * gone already is as good. A virtual server is removed with its real servers.
 */
export type ServerChange =
  | { readonly kind: "add-server"; readonly server: ServerSettings }
  | { readonly kind: "set-server"; readonly server: ServerSettings }
  | { readonly kind: "remove-server"; readonly server: ServerIdentity }
  | { readonly kind: "add-real"; readonly server: ServerIdentity; readonly real: RealServer }
  | { readonly kind: "set-real"; readonly server: ServerIdentity; readonly real: RealServer }
  | { readonly kind: "remove-real"; readonly server: ServerIdentity; readonly real: RealIdentity };
