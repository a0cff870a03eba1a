// How does a test get a network namespace of its own, and get rid of it again?
import { execa } from "execa";
import { Agent } from "./agent.js";
let made = 0;
/** A new namespace under a name that no other test has; loopback is up. */
export async function makeNetns(role) {
    made += 1;
    const name = `fairlead-${process.pid}-${made}-${role}`;
    await execa("ip", ["netns", "add", name]);
    await configure(name, ["link set lo up"]);
    const path = `/run/netns/${name}`;
    return { name, path, agent: new Agent(path) };
}
export async function removeNetns({ name, agent }) {
    await agent.close();
    await execa("ip", ["netns", "del", name]);
}
/**
 * Runs lines of `ip` commands in a namespace; throws with ip's own words at the first refusal. The family is that of
 * commands that do not name an address.
 */
export async function configure(name, lines, family = "") {
    if (lines.length === 0)
        return;
    const options = family === "" ? [] : [family];
    await execa("ip", [...options, "-n", name, "-batch", "-"], { input: `${lines.join("\n")}\n` });
}
