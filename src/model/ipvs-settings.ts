// Derives the settings of IPVS mode that apply to all Services.

import { familyOf } from "../net/address.ts";
import { cidrContains } from "../net/cidr.ts";
import type { Family } from "../net/family.ts";
import type { IPVSOptions } from "../options/options.ts";
import { type InterfaceAddress, IPVS_DEVICE, type NodeFacts } from "../state/node-facts.ts";
import { isLoopback } from "./node-ips.ts";
import { type NodePortRanges, nodePortAddressesOf } from "./node-port-addresses.ts";
import { sameList } from "./sameness.ts";

/** The part of the settings that IPVS mode alone has. */
export interface IpvsSettings {
  /** Name of the kernel's scheduler, the same for every virtual server. */
  readonly scheduler: string;
  /** Only the interface that has an address answers for it. */
  readonly strictARP: boolean;
  /** The kernel must be told to give a reused source port to the same real server (4.1 to 5.8; later ones do well). */
  readonly keepReusedPorts: boolean;
  /** Ranges of this family in which virtual servers of others are left alone. */
  readonly excludeCIDRs: readonly string[];
  /** Addresses of other interfaces than the mode's own, but for loopback and link-local ones; sorted. */
  readonly nodeAddresses: readonly string[];
  /** Where nodePorts answer, each with a virtual server; sorted. */
  readonly nodePortAddresses: readonly string[];
}

/** The options that change it. */
export type IpvsRuleOptions = Pick<IPVSOptions, "scheduler" | "strictARP" | "excludeCIDRs">;

/** The facts that change it. */
export type IpvsFacts = Pick<NodeFacts, "addresses" | "kernelVersion">;

/** Where nodePorts answer, before the node's addresses are known. */
export interface IpvsView {
  readonly family: Family;
  readonly ranges: NodePortRanges;
}

const LINK_LOCAL = "fe80::/10";

/**
 * As kube-proxy: without a limit nodePorts answer at the node's addresses; with one, at every address inside but
 * loopback, those of Services on the mode's own interface and link-local ones too.
 */
export function ipvsSettingsOf(
  { scheduler, strictARP, excludeCIDRs }: IpvsRuleOptions,
  { addresses, kernelVersion }: IpvsFacts,
  { family, ranges }: IpvsView,
): IpvsSettings {
  const nodeAddresses = nodeAddressesOf(addresses, family);
  const limited = nodePortAddressesOf(addresses, ranges, false);
  return {
    scheduler,
    strictARP,
    keepReusedPorts: losesReusedPorts(kernelVersion),
    excludeCIDRs: excludeCIDRs.filter((range) => familyOf(range) === family),
    nodeAddresses,
    nodePortAddresses: limited === "all" ? nodeAddresses : limited,
  };
}

export function sameIpvsSettings(a: IpvsSettings | undefined, b: IpvsSettings | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.scheduler === b.scheduler &&
    a.strictARP === b.strictARP &&
    a.keepReusedPorts === b.keepReusedPorts &&
    sameList(a.excludeCIDRs, b.excludeCIDRs) &&
    sameList(a.nodeAddresses, b.nodeAddresses) &&
    sameList(a.nodePortAddresses, b.nodePortAddresses)
  );
}

function nodeAddressesOf(addresses: readonly InterfaceAddress[], family: Family): readonly string[] {
  const own = addresses
    .filter((each) => each.interface !== IPVS_DEVICE)
    .map(({ address }) => address)
    .filter((address) => familyOf(address) === family && !isLoopback(address) && !cidrContains(LINK_LOCAL, address));
  return [...new Set(own)].sort();
}

/** From 4.1, which has the setting, until 5.9, whose answer to reused ports costs no connection. */
function losesReusedPorts(kernelVersion: string): boolean {
  const [major = 0, minor = 0] = kernelVersion.split(".", 2).map((part) => Number.parseInt(part, 10));
  return (major === 4 && minor >= 1) || (major === 5 && minor < 9);
}
