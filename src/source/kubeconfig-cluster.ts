// Which server does a kubeconfig name, and how is it known to be the right one?
import { InputError } from "../errors.ts";
import type { Access } from "./access.ts";
import type { ClusterFields } from "./kubeconfig-fields.ts";
import { readMaterial } from "./kubeconfig-material.ts";
import { enter, type Section } from "./section.ts";
import { readProxy, readServer } from "./server-address.ts";

/** `--master`: it goes before the server of a kubeconfig, whose `tls-server-name` does not hold for it. */
export interface Master {
  readonly master: string;
  /** A client certificate is shown, so TLS is meant. */
  readonly hasCertificate: boolean;
}

/** Throws InputError for fields that cannot be used, or that contradict each other. */
export function readCluster(
  section: Section<ClusterFields>,
  { master, hasCertificate }: Master,
): Omit<Access, "identity"> {
  const { value, place } = section;
  const authorities = readMaterial(section, "certificate-authority");
  const insecure = value["insecure-skip-tls-verify"];
  if (insecure && authorities) {
    throw new InputError(enter(place, "insecure-skip-tls-verify"), "is true beside a certificate authority");
  }
  const address = master || value.server;
  const addressPlace = master === "" ? enter(place, "server") : { source: "--master" };
  if (address === "") throw new InputError(addressPlace, "is missing");
  const serverName = master === "" ? value["tls-server-name"] : "";
  const proxy = value["proxy-url"];
  return {
    server: readServer(address, addressPlace, insecure || authorities !== undefined || hasCertificate),
    ...(serverName !== "" && { serverName }),
    ...(authorities && { authorities }),
    insecure,
    ...(proxy !== "" && { proxy: readProxy(proxy, enter(place, "proxy-url")) }),
  };
}
