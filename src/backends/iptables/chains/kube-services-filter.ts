// Which rule of filter KUBE-SERVICES refuses the cluster IP of a ServicePort that nothing serves?
import { single } from "../../../net/address.ts";
import type { Rule } from "../../../state/kernel-state.ts";
import type { Context } from "../context.ts";
import { rejectWith } from "./reject-with.ts";

export function kubeServicesFilter({ fill, service, protocol, settings, traffic }: Context): readonly Rule[] {
  const { clusterIP, port } = traffic.servicePort;
  const { verdict } = traffic.internal;
  if (verdict === "forward") return [];
  const words = { service, protocol, address: single(clusterIP), port: String(port) };
  return [fill("filter/KUBE-SERVICES", verdict, { ...words, ...rejectWith(verdict, settings.family) })];
}
