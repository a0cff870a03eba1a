// Provides the newest credentials and certificate authorities for each request to the API server.
import type { Access, Authorization, Material } from "./access.ts";
import { type PluginCall, PluginCredentials } from "./exec-credential.ts";
import { MaterialReader, type Surroundings } from "./material-reader.ts";

/** PEM texts. The same object as long as none of them changes. */
export interface TlsMaterial {
  readonly authorities: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

export interface Credential {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly tls: TlsMaterial;
}

/** What credentials need beside the files. */
export interface CredentialSurroundings extends Surroundings {
  /** Called after each run of a credential plugin. */
  readonly pluginCalled?: (call: PluginCall) => void;
}

/** Knows the newest credentials: files are read again each minute, a plugin runs when what it gave expires. */
export class Credentials {
  readonly #access: Access;
  readonly #authorities: MaterialReader | undefined;
  readonly #certificate: MaterialReader | undefined;
  readonly #key: MaterialReader | undefined;
  readonly #token: MaterialReader | undefined;
  readonly #plugin: PluginCredentials | undefined;
  /** Reading again can give something else. */
  readonly renewable: boolean;
  #last: Credential | undefined;
  #tls: TlsMaterial | undefined;

  constructor(access: Access, surroundings: CredentialSurroundings) {
    const { authorization, certificate } = access.identity;
    const reader = (material: Material | undefined) => material && new MaterialReader(material, surroundings);
    this.#access = access;
    this.#authorities = reader(access.authorities);
    this.#certificate = reader(certificate?.certificate);
    this.#key = reader(certificate?.key);
    this.#token = authorization.type === "token" ? reader(authorization.token) : undefined;
    this.#plugin = pluginOf(authorization, surroundings);
    this.renewable = this.#plugin !== undefined || materialsOf(access).some(({ type }) => type === "file");
  }

  /** The certificates, as far as they are known without running a plugin. Rejects with InputError for an unreadable file. */
  async readFiles(): Promise<TlsMaterial> {
    const { tls } = await this.#readAll();
    return this.#keep(tls);
  }

  /** Rejects with InputError when a file cannot be read or a plugin fails. */
  async current(): Promise<Credential> {
    const [{ tls, token }, given] = await Promise.all([this.#readAll(), this.#plugin?.current()]);
    const { certificate, key } = tls.certificate === undefined ? (given?.certificate ?? tls) : tls;
    const headers = this.#headers(given?.token ?? token);
    this.#last = { headers, tls: this.#keep({ authorities: tls.authorities, certificate, key }) };
    return this.#last;
  }

  /** The server did not accept these: all is read anew the next time, unless that was done since. */
  expire(used: Credential): void {
    if (used === this.#last) this.#plugin?.expire();
    this.expireFiles(used);
  }

  /** No connection succeeded with these: the files are read again the next time, unless that was done since. */
  expireFiles(used: Credential): void {
    if (used !== this.#last) return;
    for (const reader of [this.#authorities, this.#certificate, this.#key, this.#token]) reader?.expire();
  }

  // A token file is read at start too, so that a wrong path shows then.
  async #readAll(): Promise<{ readonly tls: TlsMaterial; readonly token: string | undefined }> {
    const [authorities, certificate, key, token] = await Promise.all([
      this.#authorities?.read(),
      this.#certificate?.read(),
      this.#key?.read(),
      this.#token?.read(),
    ]);
    return { tls: { authorities, certificate, key }, token: token?.trim() };
  }

  #headers(token: string | undefined): Credential["headers"] {
    const { authorization, impersonation } = this.#access.identity;
    if (token !== undefined) return { authorization: `Bearer ${token}`, ...impersonation };
    if (authorization.type !== "basic") return impersonation;
    const pair = Buffer.from(`${authorization.username}:${authorization.password}`).toString("base64");
    return { authorization: `Basic ${pair}`, ...impersonation };
  }

  #keep(tls: TlsMaterial): TlsMaterial {
    const { authorities, certificate, key } = this.#tls ?? {};
    const same = authorities === tls.authorities && certificate === tls.certificate && key === tls.key;
    this.#tls = this.#tls && same ? this.#tls : tls;
    return this.#tls;
  }
}

function pluginOf(
  authorization: Authorization,
  { timing, pluginCalled }: CredentialSurroundings,
): PluginCredentials | undefined {
  if (authorization.type !== "plugin") return undefined;
  const terminal = process.stdin.isTTY === true;
  return new PluginCredentials(authorization.plugin, {
    timing,
    terminal,
    ...(pluginCalled && { called: pluginCalled }),
  });
}

function materialsOf({ authorities, identity: { certificate, authorization } }: Access): readonly Material[] {
  return [
    ...(authorities ? [authorities] : []),
    ...(certificate ? [certificate.certificate, certificate.key] : []),
    ...(authorization.type === "token" ? [authorization.token] : []),
  ];
}
