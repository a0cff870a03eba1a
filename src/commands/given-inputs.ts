// Decodes the flags for inputs and node facts that all commands beside the daemon share.
import { InputError } from "../errors.ts";
import { parseAddress } from "../net/address.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import type { GivenFlags } from "../options/flags.ts";
import { decodeNodeAddress, decodeNodeFacts, type GivenFacts } from "../options/node-facts.ts";
import { readConfiguration } from "./configuration.ts";
import { readFactsFile } from "./facts-file.ts";
import { wrongUsage } from "./failure.ts";
import type { InputFlags } from "./inputs.ts";
import { LiveCluster } from "./live-cluster.ts";
import type { Output } from "./output.ts";

/** The flags as the command line gives them; what was not given is undefined. */
export interface InputArguments {
  readonly paths: readonly string[];
  /** There is something else to look at, so there need be no objects. */
  readonly withoutObjects?: boolean;
  /** The live cluster is compared with the paths, rather than read instead of them. */
  readonly clusterIsSide?: boolean;
  /** A live cluster in place of paths: by a kubeconfig, or as a Pod of it. */
  readonly kubeconfig?: string | undefined;
  readonly inCluster?: boolean | undefined;
  readonly node?: string | undefined;
  readonly ipFamily?: "ipv4" | "ipv6" | undefined;
  readonly nodeIps: readonly string[];
  readonly nodeAddresses: readonly string[];
  readonly nodeFacts?: string | undefined;
  readonly iptablesVersion?: string | undefined;
  readonly kernelVersion?: string | undefined;
  readonly cpus?: number | undefined;
  readonly nfacct?: boolean | undefined;
  readonly tcpBeLiberal?: boolean | undefined;
  readonly verbose: boolean;
  readonly strict?: boolean;
  readonly allowEmpty?: boolean;
  readonly keepGoing?: boolean;
}

/** Reads what the flags name. Rejects with InputError for what cannot be read. */
export async function readInputFlags(args: InputArguments, given: GivenFlags, output: Output): Promise<InputFlags> {
  const cluster = clusterOf(args, output);
  const { options, warnings } = await readConfiguration(given);
  for (const warning of warnings) output.note(`warning: ${warning}`);
  const file = args.nodeFacts === undefined ? {} : await readFactsFile(args.nodeFacts);
  return {
    paths: args.paths,
    cluster,
    progress: output.progress,
    node: args.node,
    nodeIPs: args.nodeIps.map(readNodeIP),
    families: familiesOf(args.ipFamily),
    facts: { ...file, ...factsOf(args) },
    options,
    verbose: args.verbose,
    strict: args.strict ?? false,
    allowEmpty: args.allowEmpty ?? false,
    keepGoing: args.keepGoing ?? false,
  };
}

/** Undefined: files are read. Throws InputError where it is not clear what to read. */
function clusterOf(args: InputArguments, { progress }: Output): LiveCluster | undefined {
  const { paths, kubeconfig, inCluster = false, withoutObjects = false, clusterIsSide = false } = args;
  if (kubeconfig !== undefined && inCluster) throw wrongUsage("--kubeconfig and --in-cluster are mutually exclusive");
  if (clusterIsSide && paths.length === 0 && !withoutObjects) throw wrongUsage("no input: pass a file, or --to");
  if (kubeconfig === undefined && !inCluster) {
    if (paths.length > 0 || withoutObjects) return undefined;
    throw wrongUsage("no input: pass a file, a directory, - for standard input, or --kubeconfig FILE");
  }
  if (paths.length > 0 && !clusterIsSide) throw wrongUsage("--kubeconfig and file arguments are mutually exclusive");
  if (kubeconfig === "") throw wrongUsage("--kubeconfig needs a file");
  return new LiveCluster(kubeconfig ?? "", progress);
}

/** Facts of single flags go before those of a file. */
function factsOf(args: InputArguments): GivenFacts {
  const { iptablesVersion, kernelVersion, cpus, nfacct, tcpBeLiberal } = args;
  const counters = nfacct === undefined ? undefined : { invalidDropped: nfacct, localhostNodePorts: nfacct };
  const values = Object.entries({ iptablesVersion, kernelVersion, cpus, counters, tcpBeLiberal });
  const facts = decodeNodeFacts(Object.fromEntries(values.filter(([, value]) => value !== undefined)), {});
  return args.nodeAddresses.length === 0 ? facts : { ...facts, addresses: args.nodeAddresses.map(decodeNodeAddress) };
}

function readNodeIP(text: string): string {
  const address = parseAddress(text);
  if (!address) throw new InputError({ source: "--node-ip" }, `${JSON.stringify(text)} is not an IP address`);
  return address.text;
}

function familiesOf(ipFamily: "ipv4" | "ipv6" | undefined): readonly Family[] {
  if (ipFamily === undefined) return FAMILIES;
  return [ipFamily === "ipv4" ? "IPv4" : "IPv6"];
}
