// Which commands are there, and which flags have they?
import yargs, { type Argv } from "yargs";
import { wrongUsage } from "../commands/failure.ts";
import { type InputArguments, readInputFlags } from "../commands/given-inputs.ts";
import { cleanHost } from "../commands/host-cleanup.ts";
import type { Output } from "../commands/output.ts";
import { renderPaths } from "../commands/render.ts";
import { RUN_FLAGS } from "../commands/run-arguments.ts";
import { SECTIONS, type SectionName } from "../commands/sections.ts";
import { printVersion } from "../commands/version.ts";
import { ALL_FLAGS, type GivenFlags } from "../options/flags.ts";
import type { FlagRow } from "../options/row.ts";
import { takeFlags } from "../options/taken-flags.ts";

/** `--config` and the flags that change rules: what the commands beside `run` take of kube-proxy's. */
const RULE_FLAGS = ALL_FLAGS.filter(({ flag, rules }) => rules === true || flag === "config");

/** Runs a command beside the daemon and gives its exit code. Rejects with what went wrong. */
export async function runCommand(args: readonly string[], output: Output): Promise<number> {
  const { given, rest } = takeFlags(args, RULE_FLAGS);
  let code = 0;
  const done = (exitCode: number) => {
    code = exitCode;
  };
  await commandLine(rest, { given, output, done }).parseAsync();
  return code;
}

/** All commands, and all flags of the daemon. */
export function printUsage(output: Output): Promise<string> {
  return commandLine([], { given: new Map(), output, done: () => {} }).getHelp();
}

interface Context {
  readonly given: GivenFlags;
  readonly output: Output;
  readonly done: (exitCode: number) => void;
}

function commandLine(args: readonly string[], context: Context): Argv {
  return yargs([...args])
    .scriptName("fairlead")
    .usage("$0 COMMAND: a node proxy for Kubernetes Services")
    .parserConfiguration({ "boolean-negation": false, "greedy-arrays": false })
    .command(daemonHelp())
    .command(renderOf(context))
    .command(cleanupOf(context))
    .completion("completion", "print a script for shell completion")
    .version(printVersion())
    .strict()
    .help()
    .wrap(100)
    .fail((message, error) => {
      throw error ?? wrongUsage(message);
    });
}

/** Only for `--help` and completion: its command line is read as kube-proxy reads it, not by yargs. */
function daemonHelp() {
  return {
    command: ["run", "$0"],
    describe: "keep this node's kernel as the cluster's Services want it",
    builder: (argv: Argv) =>
      withFlags(argv, RUN_FLAGS)
        .example("$0 --config /var/lib/kube-proxy/config.conf", "in kube-proxy's place")
        .example("$0 run --manifests web.yaml --cluster-cidr 10.244.0.0/16", "follow one file"),
    handler: () => {},
  };
}

interface RenderArguments extends Omit<InputArguments, "paths"> {
  readonly path: readonly (string | number)[];
  readonly section?: SectionName | undefined;
  readonly explain: boolean;
  readonly service: readonly string[];
}

function renderOf({ given, output, done }: Context) {
  return {
    command: "render [path..]",
    describe: "print what would be in the kernel",
    builder: (argv: Argv) =>
      withInputs(argv)
        .option("section", { choices: SECTIONS, describe: "print this section alone, fit for a pipe" })
        .option("explain", { type: "boolean", default: false, describe: "put the reason before each rule" })
        .option("service", { type: "string", array: true, default: [], describe: "only NAMESPACE/NAME[:PORT]" })
        .example("$0 render shop.yaml --node worker-a", "all sections")
        .example("$0 render shop.yaml --section iptables | iptables-restore --noflush", "in an empty namespace"),
    handler: async (args: RenderArguments) => {
      const input = await readInputFlags({ ...args, paths: args.path.map(String) }, given, output);
      const flags = { section: args.section, explain: args.explain, services: args.service };
      done((await renderPaths(input, flags, output)) ? 0 : 2);
    },
  };
}

function cleanupOf({ output, done }: Context) {
  return {
    command: "cleanup",
    describe: "take away all rules of fairlead and of kube-proxy",
    builder: (argv: Argv) =>
      argv
        .option("dry-run", { type: "boolean", default: false, describe: "only say what would go" })
        .example("$0 cleanup --dry-run", "see what there is")
        .example("$0 cleanup", "take it away"),
    handler: async (args: { dryRun: boolean }) => done((await cleanHost({ dryRun: args.dryRun, output })) ? 0 : 1),
  };
}

const YARGS: ReadonlySet<string> = new Set(["help", "version"]);

/** Shows the flags in `--help`; they are read before yargs sees the command line. */
function withFlags(argv: Argv, rows: readonly FlagRow[]): Argv {
  // yargs has a help and a version of its own.
  for (const { flag, meaning, typeName, defaultValue } of rows.filter(({ flag }) => !YARGS.has(flag))) {
    const shown = JSON.stringify(defaultValue);
    argv.option(flag, { group: "kube-proxy's:", describe: `${meaning} (${typeName}, default ${shown})` });
  }
  return argv;
}

function withInputs(argv: Argv) {
  return withFlags(argv, RULE_FLAGS)
    .positional("path", {
      type: "string",
      array: true,
      default: [],
      describe: "files, directories, - for standard input",
    })
    .option("node", { type: "string", describe: "as which node; by default the only one among the inputs" })
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
    .option("verbose", { alias: "v", type: "boolean", default: false, describe: "say what was passed over" });
}
