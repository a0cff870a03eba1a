// Derives the settings that all rules of a family share from configuration and node.
import type { Family } from "../net/family.ts";
import type { Options } from "../options/options.ts";
import type { NodeFacts } from "../state/node-facts.ts";
import { type IpvsRuleOptions, type IpvsSettings, ipvsSettingsOf, sameIpvsSettings } from "./ipvs-settings.ts";
import { type LocalTraffic, type LocalTrafficOptions, localTrafficOf, sameLocalTraffic } from "./local-traffic.ts";
import { nodeIPsOf } from "./node-ips.ts";
import { nodePortAddressesOf, nodePortRangesOf, servesLocalhost } from "./node-port-addresses.ts";

/** What configuration and node decide for every Service alike. The same object while nothing in it changed. */
export interface Settings {
  readonly family: Family;
  /** 0 to 31. */
  readonly masqueradeBit: number;
  readonly masqueradeAll: boolean;
  readonly localTraffic?: LocalTraffic;
  /** The node's own address of this family; loopback when unknown. */
  readonly nodeIP: string;
  readonly localhostNodePorts: boolean;
  readonly counters: { readonly invalidDropped: boolean; readonly localhostNodePorts: boolean };
  /** Drop packets in conntrack state INVALID. */
  readonly dropInvalid: boolean;
  /** MASQUERADE picks its source port at random. */
  readonly randomFully: boolean;
  /** Rules that pick an endpoint, and those inside its chain, carry a comment (false beyond 1000 endpoints). */
  readonly endpointComments: boolean;
  /** Only in IPVS mode. */
  readonly ipvs?: IpvsSettings;
}

/** The options that change rules. */
export type RuleOptions = LocalTrafficOptions &
  Pick<Options, "mode" | "bindAddress" | "nodePortAddresses" | "masqueradeAll" | "masqueradeBit"> &
  Pick<Options, "localhostNodePorts"> & {
    readonly ipvs: IpvsRuleOptions;
    readonly conntrack: Pick<Options["conntrack"], "tcpBeLiberal">;
  };

/** The facts that change rules. */
export type RuleFacts = Pick<
  NodeFacts,
  "addresses" | "iptablesVersion" | "kernelVersion" | "counters" | "tcpBeLiberal"
>;

/** What the settings of one family are made of. */
export interface SettingsInput {
  readonly family: Family;
  readonly options: RuleOptions;
  readonly facts: RuleFacts;
  /** The Node object's part: its IPs in order, and its pod ranges. */
  readonly node: { readonly addresses: readonly string[]; readonly podCIDRs: readonly string[] };
  /** Endpoints of all ServicePorts of the family, usable or not; one behind two ports counts twice. */
  readonly knownEndpoints: number;
}

/** Settings, and the node's addresses that answer on nodePorts. */
export interface NodeSettings {
  readonly settings: Settings;
  readonly nodePortAddresses: "all" | readonly string[];
}

type Version = readonly [major: number, minor: number, patch: number];

/** Beyond this many endpoints of a family, kube-proxy leaves the comments of endpoint rules out. */
const COMMENTED_ENDPOINTS = 1000;

// The first iptables whose MASQUERADE knows --random-fully.
const RANDOM_FULLY: Version = [1, 6, 2];

/** Works out what all rules of a family share. */
export function nodeSettingsOf(input: SettingsInput): NodeSettings {
  const { family, options, facts, node } = input;
  const nodeIPs = nodeIPsOf(node.addresses, options.bindAddress);
  const ranges = nodePortRangesOf(options.nodePortAddresses, nodeIPs, family);
  const localhostNodePorts = servesLocalhost(options.localhostNodePorts, ranges, family);
  const localTraffic = localTrafficOf(options, node.podCIDRs, family);
  // The node's addresses are no part of the settings in other modes: one that comes there changes next to nothing.
  const ipvs = options.mode === "ipvs" ? ipvsSettingsOf(options.ipvs, facts, { family, ranges }) : undefined;
  const settings: Settings = {
    family,
    masqueradeBit: options.masqueradeBit,
    masqueradeAll: options.masqueradeAll,
    ...(localTraffic && { localTraffic }),
    nodeIP: nodeIPs.ips[family],
    localhostNodePorts,
    counters: facts.counters,
    // The option sets nf_conntrack_tcp_be_liberal before the first rule, so it decides wherever the fact does.
    dropInvalid: !(options.conntrack.tcpBeLiberal || facts.tcpBeLiberal),
    randomFully: isAtLeast(facts.iptablesVersion, RANDOM_FULLY),
    endpointComments: input.knownEndpoints <= COMMENTED_ENDPOINTS,
    ...(ipvs && { ipvs }),
  };
  const nodePortAddresses = ipvs?.nodePortAddresses ?? nodePortAddressesOf(facts.addresses, ranges, localhostNodePorts);
  return { settings, nodePortAddresses };
}

export function sameSettings(a: Settings, b: Settings): boolean {
  return (
    a.family === b.family &&
    a.masqueradeBit === b.masqueradeBit &&
    a.masqueradeAll === b.masqueradeAll &&
    sameLocalTraffic(a.localTraffic, b.localTraffic) &&
    a.nodeIP === b.nodeIP &&
    a.localhostNodePorts === b.localhostNodePorts &&
    a.counters.invalidDropped === b.counters.invalidDropped &&
    a.counters.localhostNodePorts === b.counters.localhostNodePorts &&
    a.dropInvalid === b.dropInvalid &&
    a.randomFully === b.randomFully &&
    a.endpointComments === b.endpointComments &&
    sameIpvsSettings(a.ipvs, b.ipvs)
  );
}

function isAtLeast(version: string | undefined, least: Version): boolean {
  if (version === undefined) return false;
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  if (major !== least[0]) return major > least[0];
  return minor === least[1] ? patch >= least[2] : minor > least[1];
}
