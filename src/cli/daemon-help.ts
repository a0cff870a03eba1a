// How is the daemon shown among the commands?
import type { Argv } from "yargs";
import { RUN_FLAGS } from "../commands/run-arguments.ts";
import { withFlags } from "./flag-rows.ts";

/** Only for `--help` and completion: its command line is read as kube-proxy reads it, not by yargs. */
export function daemonHelp() {
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
