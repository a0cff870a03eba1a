// What does a configuration say where nobody said anything?
import { parseAddress } from "../net/address.ts";
import { type Config, FIELD_NAMES, ROWS } from "./config.ts";
import { withPort } from "./host-port.ts";

const HEALTH_PORT = 10256;
const METRICS_PORT = 10249;

const entries: readonly (readonly unknown[])[] = FIELD_NAMES.map((name) => [name, ROWS[name].default]);

/** The default of every field, in the sections of all modes. */
export const DEFAULTS: Config = Object.fromEntries(entries);

/**
 * The addresses of a file's servers: an empty one follows the family of `bindAddress` (IPv6 for what is no IP, as in
 * kube-proxy), a bare IP gets its port.
 */
export function withServerAddresses(config: Config): Config {
  const plain = parseAddress(config.bindAddress)?.family === "IPv4";
  const health = config.healthzBindAddress || (plain ? "0.0.0.0" : "::");
  const metrics = config.metricsBindAddress || (plain ? "127.0.0.1" : "::1");
  return {
    ...config,
    healthzBindAddress: withPort(health, HEALTH_PORT),
    metricsBindAddress: withPort(metrics, METRICS_PORT),
  };
}

/** What Linux fills in, for a file and for flags alike, once everything is read. */
export function withPlatformDefaults(config: Config): Config {
  const everywhere = (config.nodePortAddresses ?? []).length === 0;
  return {
    ...config,
    mode: config.mode || "iptables",
    detectLocalMode: config.detectLocalMode || "ClusterCIDR",
    nodePortAddresses: config.mode === "nftables" && everywhere ? ["primary"] : config.nodePortAddresses,
  };
}
