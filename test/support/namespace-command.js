// How does production code run its programs in a namespace of a test, with one of the two variants of iptables?
import { runCommand } from "../../src/kernel/command.js";
import { variantEnvironment } from "./iptables-variant.js";
/** The door to programs, moved into the namespace. */
export function commandIn({ path }, variant) {
    const search = `PATH=${variantEnvironment(variant).PATH}`;
    return ({ program, args, ...rest }) => runCommand({ program: "nsenter", args: [`--net=${path}`, "env", search, program, ...args], ...rest });
}
