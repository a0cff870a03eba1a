// How does production code run its programs in a namespace of a test, with one of the two variants of iptables?
import { type RunCommand, runCommand } from "../../src/kernel/command.ts";
import { type Variant, variantEnvironment } from "./iptables-variant.ts";
import type { Netns } from "./netns.ts";

/** The door to programs, moved into the namespace. */
export function commandIn({ path }: Netns, variant: Variant): RunCommand {
  const run = commandHere(variant);
  return ({ program, args, ...rest }) =>
    run({ program: "nsenter", args: [`--net=${path}`, program, ...args], ...rest });
}

/** The same in the namespace that this process is in, where its netlink sockets are too: that of the sandbox. */
export function commandHere(variant: Variant): RunCommand {
  const search = `PATH=${variantEnvironment(variant).PATH}`;
  return ({ program, args, ...rest }) => runCommand({ program: "env", args: [search, program, ...args], ...rest });
}
