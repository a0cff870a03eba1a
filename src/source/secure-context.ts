// Can these certificates be used for TLS?
import { createSecureContext, type SecureContext } from "node:tls";
import { InputError } from "../errors.ts";
import type { Access } from "./access.ts";
import type { TlsMaterial } from "./credentials.ts";

const CERTIFICATE = "-----BEGIN CERTIFICATE-----";

/** Throws InputError for authorities that are no certificates, and for a certificate and a key that do not fit. */
export function makeSecureContext(access: Access, { authorities, certificate, key }: TlsMaterial): SecureContext {
  // OpenSSL takes a text without any certificate for an empty list, and would trust nobody.
  if (authorities !== undefined && !authorities.includes(CERTIFICATE)) {
    throw new InputError(access.authorities?.place ?? {}, "holds no certificate in PEM form");
  }
  try {
    return createSecureContext({ ca: authorities, cert: certificate, key });
  } catch (error) {
    const place = access.identity.certificate?.certificate.place ?? {};
    throw new InputError(place, `client certificate and key cannot be used: ${String(error)}`);
  }
}
