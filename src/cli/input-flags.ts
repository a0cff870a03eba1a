// Flags for inputs and node facts, shared by every command that reads manifests.
import type { Argv } from "yargs";
import { type InputArguments, readInputFlags } from "../commands/given-inputs.ts";
import type { InputFlags } from "../commands/inputs.ts";
import type { CommandContext } from "./command-context.ts";
import { showDash } from "./dash-values.ts";
import { RULE_FLAGS, withFlags } from "./flag-rows.ts";

/** What yargs makes of these flags. */
export interface ParsedInputs extends Omit<InputArguments, "paths"> {
  readonly path: readonly (string | number)[];
}

/** Reads what the flags name. Rejects with InputError for what cannot be read. */
export function inputsOf(args: ParsedInputs, { given, output }: CommandContext): Promise<InputFlags> {
  return readInputFlags({ ...args, paths: args.path.map(String).map(showDash) }, given, output);
}

export function withInputs(argv: Argv) {
  return withFlags(argv, RULE_FLAGS)
    .positional("path", {
      type: "string",
      array: true,
      default: [],
      describe: "files, directories, - for standard input",
    })
    .option("kubeconfig", { type: "string", describe: "read a live cluster in place of files, as this file says" })
    .option("in-cluster", { type: "boolean", describe: "read the live cluster that this is a Pod of" })
    .option("node", {
      type: "string",
      describe: "as which node; by default the only one, or with a live cluster this host's name",
    })
    .option("ip-family", { choices: ["ipv4", "ipv6"] as const, describe: "one family only" })
    .option("node-ips", { alias: "node-ip", type: "string", array: true, default: [], describe: "the node's own IPs" })
    .option("node-addresses", {
      alias: "node-address",
      type: "string",
      array: true,
      default: [],
      describe: "[IFACE=]ADDRESS of each interface",
    })
    .option("iptables-version", { type: "string", describe: "of the node's tools (default 1.8.9)" })
    .option("kernel-version", { type: "string", describe: "of the node (default 6.1)" })
    .option("cpus", { type: "number", describe: "processors of the node (default 1)" })
    .option("nfacct", { type: "boolean", describe: "the node's kernel can count by name" })
    .option("tcp-be-liberal", { type: "boolean", describe: "nf_conntrack_tcp_be_liberal is set on the node" })
    .option("node-facts", { type: "string", describe: "a YAML file of all of these" })
    .option("strict", {
      type: "boolean",
      default: false,
      describe: "treat documents without apiVersion and kind, and unrendered templates, as errors",
    })
    .option("allow-empty", { type: "boolean", default: false, describe: "accept an input without any Service" })
    .option("keep-going", {
      type: "boolean",
      default: false,
      describe: "print the rest although some input could not be read (exit code 2)",
    })
    .option("verbose", {
      alias: "v",
      type: "boolean",
      default: false,
      describe: "report each skipped document with the reason",
    });
}
