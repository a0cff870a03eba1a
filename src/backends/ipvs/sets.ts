// The ipsets of IPVS mode and their names.
import type { Family } from "../../net/family.ts";
import type { SetHeader, SetType } from "../../state/ip-set.ts";
import type { Admission } from "../../state/kernel-state.ts";

/** The sets by what stands behind `KUBE-`; the names are kube-proxy's. */
const TYPES = {
  "LOOP-BACK": "hash:ip,port,ip",
  "CLUSTER-IP": "hash:ip,port",
  "EXTERNAL-IP": "hash:ip,port",
  "EXTERNAL-IP-LOCAL": "hash:ip,port",
  "LOAD-BALANCER": "hash:ip,port",
  "LOAD-BALANCER-FW": "hash:ip,port",
  "LOAD-BALANCER-LOCAL": "hash:ip,port",
  "LOAD-BALANCER-SOURCE-IP": "hash:ip,port,ip",
  "LOAD-BALANCER-SOURCE-CIDR": "hash:ip,port,net",
  "NODE-PORT-TCP": "bitmap:port",
  "NODE-PORT-LOCAL-TCP": "bitmap:port",
  "NODE-PORT-UDP": "bitmap:port",
  "NODE-PORT-LOCAL-UDP": "bitmap:port",
  "NODE-PORT-SCTP-HASH": "hash:ip,port",
  "NODE-PORT-LOCAL-SCTP-HASH": "hash:ip,port",
  "HEALTH-CHECK-NODE-PORT": "bitmap:port",
  "IPVS-IPS": "hash:ip",
} as const satisfies Readonly<Record<string, SetType>>;

/** A set, whatever the family. */
export type SetRole = keyof typeof TYPES;

/** Longest name that the kernel takes. */
const LONGEST = 31;

/** As kube-proxy names it: what is too long loses its end. */
export function setName(role: string, family: Family): string {
  return `KUBE-${family === "IPv4" ? "" : "6-"}${role}`.slice(0, LONGEST);
}

/** All sets of a family, in the order in which kube-proxy makes them. */
export function setsOf(family: Family): readonly SetHeader[] {
  return Object.entries(TYPES).map(([role, type]) => ({
    name: setName(role, family),
    type,
    family: type === "bitmap:port" ? "none" : family === "IPv4" ? "inet" : "inet6",
  }));
}

/** Roles of the sets that KUBE-IPVS-FILTER lets packets through for, before it rejects those to KUBE-IPVS-IPS. */
const ADMITTING: readonly SetRole[] = ["LOAD-BALANCER", "CLUSTER-IP", "EXTERNAL-IP", "EXTERNAL-IP-LOCAL"];

export function admissionOf(family: Family): Admission {
  return {
    admitting: new Set(ADMITTING.map((role) => setName(role, family))),
    rejecting: setName("IPVS-IPS", family),
  };
}
