// The flags of the trace command.
import type { Argv } from "yargs";
import { isColourWelcome } from "../commands/colour.ts";
import { TRACE_FORMATS, tracePaths } from "../commands/trace/command.ts";
import { VIAS } from "../commands/trace/destination.ts";
import type { CommandContext } from "./command-context.ts";
import { inputsOf, type ParsedInputs, withInputs } from "./input-flags.ts";

interface TraceArguments extends ParsedInputs {
  readonly from: string;
  readonly to: string;
  readonly via?: (typeof VIAS)[number] | undefined;
  readonly in?: string | undefined;
  readonly out?: string | undefined;
  readonly rules: readonly string[];
  readonly output: (typeof TRACE_FORMATS)[number];
  readonly noColor: boolean;
}

export function traceCommand(context: CommandContext) {
  return {
    command: "trace [path..]",
    describe: "trace a packet through the rules",
    builder: (argv: Argv) =>
      withInputs(argv)
        .option("from", {
          type: "string",
          demandOption: true,
          describe: "ADDRESS[:PORT], node, pod/NAMESPACE/NAME, or external",
        })
        .option("to", {
          type: "string",
          demandOption: true,
          describe: "ADDRESS:PORT[/tcp|udp|sctp], service/NAMESPACE/NAME[:PORT], or node:PORT",
        })
        .option("via", {
          choices: VIAS,
          describe: "by which address of a Service; default: its cluster IP, or from external its external addresses",
        })
        .option("in", { type: "string", describe: "the interface it comes in by" })
        .option("out", { type: "string", describe: "the interface it leaves the node by, where a rule asks for it" })
        .option("rules", {
          type: "string",
          array: true,
          default: [],
          describe: "walk these dumps (iptables-save, ipset save, ipvsadm -Sn) instead of what manifests come to",
        })
        .option("output", { alias: "o", choices: TRACE_FORMATS, default: "text" as const, describe: "how to tell it" })
        .option("no-color", { type: "boolean", default: false, describe: "no colour, not even on a terminal" })
        .example("$0 shop.yaml --node worker-a --from external --to service/shop/web:http", "by manifests")
        .example(
          "$0 --rules worker-a.dump --node-address eth0=192.0.2.10 --from 10.244.1.7 --to 10.96.0.10:53/udp",
          "by what a node holds",
        ),
    handler: async ({
      from,
      to,
      via,
      in: inInterface,
      out: outInterface,
      rules,
      output: format,
      noColor,
      ...args
    }: TraceArguments) => {
      const flags = {
        from,
        to,
        via,
        inInterface,
        outInterface,
        rules,
        format,
        colour: isColourWelcome(context.output, noColor),
      };
      // Dumps are something to look at: then there need be no manifests.
      const input = await inputsOf({ ...args, withoutObjects: rules.length > 0 }, context);
      context.done(await tracePaths(input, flags, context.output));
    },
  };
}
