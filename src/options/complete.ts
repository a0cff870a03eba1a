// Combines flags, the configuration file and defaults into the effective configuration.
import { InputError } from "../errors.ts";
import { withPlatformDefaults } from "./defaults.ts";
import { gateProblem } from "./feature-gates.ts";
import { configOfFlags, flagValue, type GivenFlags, withLoggingFlags } from "./flags.ts";
import { withPort } from "./host-port.ts";
import type { Config } from "./table.ts";

/**
 * Returns the effective configuration, not yet validated. A file replaces all flags except those of logging and
 * `--hostname-override`. Throws InputError for an invalid flag, a blank hostname override and invalid feature gates.
 */
export function completeConfig(given: GivenFlags, file?: Config): Config {
  const read = file === undefined ? configByFlags(given) : withPlatformDefaults(withLoggingFlags(file, given));
  const config = withHostname(read, flagValue(given, "hostname-override"));
  const problem = gateProblem(config.featureGates);
  if (problem !== undefined) throw new InputError({}, problem);
  return config;
}

/** Returns the node name: the override or the hostname, in lower case. Throws InputError if it is blank. */
export function nodeNameOf(hostnameOverride: string, hostname: string): string {
  const name = (hostnameOverride || hostname).trim().toLowerCase();
  if (name === "") throw new InputError({}, "empty hostname is invalid");
  return name;
}

/** Returns the configuration without a file, before `--hostname-override`: flags, deprecated ports, Linux defaults. */
export function configByFlags(given: GivenFlags): Config {
  const config = withPlatformDefaults(configOfFlags(given));
  if (flagValue(given, "write-config-to") !== "") return config;
  return {
    ...config,
    healthzBindAddress: withDeprecatedPort(config.healthzBindAddress, flagValue(given, "healthz-port")),
    metricsBindAddress: withDeprecatedPort(config.metricsBindAddress, flagValue(given, "metrics-port")),
  };
}

function withDeprecatedPort(address: string, port: number): string {
  return port === 0 ? "" : withPort(address, port);
}

function withHostname(config: Config, override: string): Config {
  if (override === "") return config;
  const name = override.trim().toLowerCase();
  if (name === "") throw new InputError({}, "empty hostname-override is invalid");
  return { ...config, hostnameOverride: name };
}
