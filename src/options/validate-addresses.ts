// What is wrong with the addresses and ranges of a configuration?
import { parseAddress } from "../net/address.ts";
import { parseCidr } from "../net/cidr.ts";
import type { Config } from "./config.ts";
import { invalid } from "./field-problem.ts";
import { splitHostPort } from "./host-port.ts";

const NO_PAIR = "must be a either a single CIDR or dual-stack pair of CIDRs (e.g. [10.100.0.0/16, fde4:8dba:82e1::/48]";
const NO_CIDR_BLOCK = "must be a valid CIDR block (e.g. 10.100.0.0/16 or fde4:8dba:82e1::/48)";

/** Problems of the addresses that servers listen on. Only the health server may have none. */
export function validateServerAddresses(config: Config, root: string): readonly string[] {
  const { bindAddress, healthzBindAddress, metricsBindAddress } = config;
  const noAddress = "not a valid textual representation of an IP address";
  return [
    ...(parseAddress(bindAddress) ? [] : [invalid(`${root}.BindAddress`, bindAddress, noAddress)]),
    ...(healthzBindAddress === "" ? [] : validateHostPort(`${root}.HealthzBindAddress`, healthzBindAddress)),
    ...validateHostPort(`${root}.MetricsBindAddress`, metricsBindAddress),
  ];
}

/** Problems of a list of plain CIDRs. */
export function validateCidrs(path: string, cidrs: readonly string[]): readonly string[] {
  return cidrs.flatMap((cidr, index) => validateCidr(`${path}[${index}]`, cidr));
}

/** Problems of a list of CIDRs, or of the single word `primary`; nothing behind that word is looked at. */
export function validateNodePortAddresses(path: string, entries: readonly string[]): readonly string[] {
  const primary = entries.indexOf("primary");
  if (primary < 0) return validateCidrs(path, entries);
  const problems = validateCidrs(path, entries.slice(0, primary));
  if (entries.length === 1) return problems;
  return [...problems, invalid(`${path}[${primary}]`, "primary", "can't use both 'primary' and CIDRs")];
}

/** Problems of `clusterCIDR`: one CIDR, or one of each family behind a comma. Blanks are not allowed. */
export function validateClusterCIDRs(path: string, clusterCIDR: string): readonly string[] {
  if (clusterCIDR === "") return [];
  const cidrs = clusterCIDR.split(",");
  const read = cidrs.map(parseCidr);
  const problems = cidrs.flatMap((cidr, index) =>
    read[index] === undefined ? [invalid(`${path}[${index}]`, cidr, NO_CIDR_BLOCK)] : [],
  );
  const [first, second] = read;
  const sameFamily = first !== undefined && first.family === second?.family;
  return cidrs.length > 2 || sameFamily ? [...problems, invalid(path, cidrs, NO_PAIR)] : problems;
}

function validateCidr(path: string, cidr: string): readonly string[] {
  return parseCidr(cidr) ? [] : [invalid(path, cidr, "must be a valid CIDR")];
}

function validateHostPort(path: string, text: string): readonly string[] {
  const parts = splitHostPort(text);
  if ("wrong" in parts) return [invalid(path, text, "must be IP:port")];
  const port = /^[-+]?\d+$/.test(parts.port) ? Number(parts.port) : 0;
  return [
    ...(parseAddress(parts.host) ? [] : [invalid(path, parts.host, "must be a valid IP")]),
    ...(port >= 1 && port <= 65535 ? [] : [invalid(path, parts.port, "must be a valid port")]),
  ];
}
