// What did a credential plugin say?
import * as z from "zod";
import { InputError, type Place } from "../errors.ts";
import type { ExecPlugin } from "./exec-plugin.ts";
import { enter, readSection, TEXT } from "./section.ts";

/** A token, a client certificate, or both. */
export interface ExecCredential {
  readonly token?: string;
  /** PEM texts. */
  readonly certificate?: { readonly certificate: string; readonly key: string };
  /** Milliseconds since 1970; undefined: good until the server says otherwise. */
  readonly expires?: number;
}

const ANSWER = z.object({
  apiVersion: TEXT,
  kind: TEXT,
  status: z.object({
    token: TEXT,
    clientCertificateData: TEXT,
    clientKeyData: TEXT,
    expirationTimestamp: TEXT,
  }),
});

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[-+]\d\d:\d\d)$/;

/** Reads standard output of a plugin, an ExecCredential in JSON. Throws InputError, which never shows a part of it. */
export function readExecAnswer(output: string, plugin: ExecPlugin): ExecCredential {
  const place = enter(plugin.place, "stdout");
  const { apiVersion, kind, status } = readSection(parseJson(output, place), place, ANSWER).value;
  if (kind !== "ExecCredential") throw new InputError(enter(place, "kind"), "must be ExecCredential");
  if (apiVersion !== plugin.apiVersion)
    throw new InputError(enter(place, "apiVersion"), `must be ${plugin.apiVersion}`);
  const { token, clientCertificateData: certificate, clientKeyData: key } = status;
  const inside = enter(place, "status");
  if ((certificate === "") !== (key === "")) throw new InputError(inside, "holds a certificate or a key alone");
  if (token === "" && certificate === "") throw new InputError(inside, "holds neither a token nor a certificate");
  const expires = readTime(status.expirationTimestamp, enter(inside, "expirationTimestamp"));
  return {
    ...(token !== "" && { token }),
    ...(certificate !== "" && { certificate: { certificate, key } }),
    ...(expires !== undefined && { expires }),
  };
}

function readTime(text: string, place: Place): number | undefined {
  if (text === "") return undefined;
  const time = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new InputError(place, "is no time in RFC 3339");
  return time;
}

function parseJson(output: string, place: Place): unknown {
  try {
    return JSON.parse(output);
  } catch {
    throw new InputError(place, "is no JSON");
  }
}
