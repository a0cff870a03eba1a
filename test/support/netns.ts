// How does a test get a network namespace of its own, and get rid of it again?
import { execa } from "execa";
import { Agent } from "./agent.ts";

/** A namespace with a process inside it. */
export interface Netns {
  readonly name: string;
  readonly path: string;
  readonly agent: Agent;
}

let made = 0;

/** A new namespace under a name that no other test has; loopback is up. */
export function makeNetns(role: string): Promise<Netns> {
  return named(role, (name) => ["add", name]);
}

/** The namespace that this process is in itself, so that its own sockets are inside too. What is made there stays. */
export function ownNetns(role: string): Promise<Netns> {
  return named(role, (name) => ["attach", name, String(process.pid)]);
}

async function named(role: string, command: (name: string) => readonly string[]): Promise<Netns> {
  made += 1;
  const name = `fairlead-${process.pid}-${made}-${role}`;
  await execa("ip", ["netns", ...command(name)]);
  await configure(name, ["link set lo up"]);
  const path = `/run/netns/${name}`;
  return { name, path, agent: new Agent(path) };
}

export async function removeNetns({ name, agent }: Netns): Promise<void> {
  await agent.close();
  await execa("ip", ["netns", "del", name]);
}

/**
 * Runs lines of `ip` commands in a namespace; throws with ip's own words at the first refusal. The family is that of
 * commands that do not name an address.
 */
export async function configure(name: string, lines: readonly string[], family: "-4" | "-6" | "" = ""): Promise<void> {
  if (lines.length === 0) return;
  const options = family === "" ? [] : [family];
  await execa("ip", [...options, "-n", name, "-batch", "-"], { input: `${lines.join("\n")}\n` });
}
