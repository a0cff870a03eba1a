// Which fields of a kubeconfig are read, and of which type is each?
import * as z from "zod";
import { TEXT } from "./section.ts";

const FLAG = z
  .boolean()
  .nullish()
  .transform((flag) => flag ?? false);

function listOf<T extends z.ZodType>(element: T) {
  return z
    .array(element)
    .nullish()
    .transform((list) => list ?? []);
}

const named = <K extends string>(field: K) =>
  listOf(z.object({ name: TEXT }).and(z.partialRecord(z.literal(field), z.unknown().optional())));

/** The whole file. What is not chosen is not looked at. */
export const KUBECONFIG = z.object({
  "current-context": TEXT,
  contexts: named("context"),
  clusters: named("cluster"),
  users: named("user"),
});

export const CONTEXT = z.object({ cluster: TEXT, user: TEXT });

export const CLUSTER = z.object({
  server: TEXT,
  "tls-server-name": TEXT,
  "insecure-skip-tls-verify": FLAG,
  "certificate-authority": TEXT,
  "certificate-authority-data": TEXT,
  "proxy-url": TEXT,
  "disable-compression": FLAG,
  extensions: listOf(z.object({ name: TEXT, extension: z.unknown().optional() })),
});

export const EXEC = z.object({
  apiVersion: TEXT,
  command: TEXT,
  args: listOf(z.string()),
  env: listOf(z.object({ name: TEXT, value: TEXT })),
  installHint: TEXT,
  interactiveMode: TEXT,
  provideClusterInfo: FLAG,
});

export const USER = z.object({
  token: TEXT,
  tokenFile: TEXT,
  username: TEXT,
  password: TEXT,
  "client-certificate": TEXT,
  "client-certificate-data": TEXT,
  "client-key": TEXT,
  "client-key-data": TEXT,
  as: TEXT,
  "as-uid": TEXT,
  "as-groups": listOf(z.string()),
  "as-user-extra": z
    .record(z.string(), z.array(z.string()))
    .nullish()
    .transform((extra) => extra ?? {}),
  "auth-provider": z.unknown().optional(),
  exec: z.unknown().optional(),
});

export type ClusterFields = z.infer<typeof CLUSTER>;
export type UserFields = z.infer<typeof USER>;
