// How does a Pod know its own cluster?
import { join } from "node:path";
import { InputError } from "../errors.ts";
import { hostPort } from "../net/address.ts";
import type { Access, Material } from "./access.ts";
import { readServer } from "./server-address.ts";

const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** What a Pod is given. */
export interface PodSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder of its service account's `token` and `ca.crt`. */
  readonly serviceAccount?: string;
}

/** Throws InputError where the environment names no API server. */
export function readInCluster({ environment, serviceAccount = SERVICE_ACCOUNT }: PodSurroundings): Access {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = environment;
  if (host === "" || port === "") {
    const missing = "neither --kubeconfig nor --master is given, and this is no Pod";
    throw new InputError({}, `${missing}: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined`);
  }
  const file = (name: string): Material => ({ type: "file", path: join(serviceAccount, name), place: {} });
  return {
    server: readServer(`https://${hostPort(host, Number(port))}`, { source: "KUBERNETES_SERVICE_HOST" }, true),
    authorities: file("ca.crt"),
    insecure: false,
    identity: { authorization: { type: "token", token: file("token") }, impersonation: {} },
  };
}
