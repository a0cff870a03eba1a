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
          describe: "kind of Service address to use; default: cluster IP, or from external the external addresses",
        })
        .option("in", { type: "string", describe: "incoming interface" })
        .option("out", { type: "string", describe: "outgoing interface" })
        .option("rules", {
          type: "string",
          array: true,
          default: [],
          describe:
            "trace through these dumps (iptables-save, ipset save, ipvsadm -Sn) instead of rules computed from manifests",
        })
        .option("output", { alias: "o", choices: TRACE_FORMATS, default: "text" as const, describe: "output format" })
        .option("no-color", { type: "boolean", default: false, describe: "disable colour" })
        .example(
          "$0 shop.yaml --node worker-a --from external --to service/shop/web:http",
          "rules computed from manifests",
        )
        .example(
          "$0 --rules worker-a.dump --node-address eth0=192.0.2.10 --from 10.244.1.7 --to 10.96.0.10:53/udp",
          "rules dumped on a node",
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
      // With dumps, manifests are optional.
      const input = await inputsOf({ ...args, withoutObjects: rules.length > 0 }, context);
      context.done(await tracePaths(input, flags, context.output));
    },
  };
}
