// Where is the cluster, whom do we trust there, and as whom do we come?
import type { Place } from "../errors.ts";
import type { ExecPlugin } from "./exec-plugin.ts";

/** A text that was given, or the file that holds it, which others may replace at any time. */
export type Material = { readonly place: Place } & (
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly path: string }
);

/** PEM texts. */
export interface ClientCertificate {
  readonly certificate: Material;
  readonly key: Material;
}

/** What the HTTP header of a request says of us. A plugin may give a token or a client certificate. */
export type Authorization =
  | { readonly type: "none" }
  | { readonly type: "token"; readonly token: Material }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "plugin"; readonly plugin: ExecPlugin };

/** A client certificate goes before one that a plugin gives. */
export interface Identity {
  readonly authorization: Authorization;
  readonly certificate?: ClientCertificate;
  /** Headers that ask the server to act as somebody else, such as `Impersonate-User`. */
  readonly impersonation: Readonly<Record<string, string | readonly string[]>>;
}

/** All that has to be known to speak with one API server. */
export interface Access {
  /** Without a slash at the end of its path. */
  readonly server: URL;
  /** Name that the server's certificate must have; undefined: the server's host. */
  readonly serverName?: string;
  /** PEM text of certificate authorities; undefined: those that Node brings along. */
  readonly authorities?: Material;
  /** The server may show any certificate. */
  readonly insecure: boolean;
  /** Undefined: what the environment says. */
  readonly proxy?: URL;
  readonly identity: Identity;
}
