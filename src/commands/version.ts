// Which version is this?
import { readFileSync } from "node:fs";
import { flagValue, type GivenFlags } from "../options/flags.ts";

/** One line, in the shape that kube-proxy prints its own; `raw`: all that is known of the build. */
export function printVersion(raw = false): string {
  const version = ownVersion();
  if (!raw) return `fairlead ${version}`;
  const { platform, arch } = process;
  const [major, minor] = version.slice(1).split(".");
  const facts = { Major: major, Minor: minor, GitVersion: version, NodeVersion: process.version };
  const all = { ...facts, Platform: `${platform}/${arch}` };
  return `version.Info{${Object.entries(all)
    .map(([name, value]) => `${name}:${JSON.stringify(value)}`)
    .join(", ")}}`;
}

/** What the daemon says of itself: its version, or the one that `--version=vX.Y.Z` gives it. */
export function reportedVersion(given: GivenFlags): string {
  const asked = flagValue(given, "version");
  return asked.startsWith("v") ? asked : ownVersion();
}

/** `v0.1.0`. */
function ownVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(text) as { readonly version: string };
  return `v${version}`;
}
