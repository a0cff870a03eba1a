// May this machine make networks for a test, and how does a test file get to a place where it may?
import { spawnSync } from "node:child_process";

/** How networks can be made here; `none` says why not, in the words of the tool that refused. */
export type Privilege =
  | { readonly kind: "root" }
  | { readonly kind: "user-namespace" }
  | { readonly kind: "none"; readonly reason: string };

type Way = "root" | "user-namespace";

/** Set inside the sandbox to the way it was made. */
const MARK = "FAIRLEAD_TEST_SANDBOX";

const FLAGS: Record<Way, string> = { root: "-nm", "user-namespace": "-Urnm" };

// All that the kernel tests do first; what fails here would fail there with a worse message.
const PROBE = [
  "mount -t tmpfs tmpfs /run",
  "ip netns add probe",
  "ip link add probe0 type veth peer name probe1 netns probe",
  "echo 1 > /proc/sys/net/ipv4/ip_forward",
  "nsenter --net=/run/netns/probe true",
  "conntrack --version > /dev/null",
].join(" && ");

/** The environment of the kernel tests: administrators' programs are found by ordinary users too. */
export function sandboxEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env.PATH ?? ""}:/usr/local/sbin:/usr/sbin:/sbin` };
}

/** Finds out by trying, in namespaces that end with the trial. */
export function privilege(): Privilege {
  const inside = process.env[MARK];
  if (inside === "root" || inside === "user-namespace") return { kind: inside };
  const reasons: string[] = [];
  for (const way of ways()) {
    const refusal = tryWay(way);
    if (refusal === undefined) return { kind: way };
    reasons.push(refusal);
  }
  return { kind: "none", reason: reasons.join("; ") };
}

/** Why kernel tests cannot run in this process, as tap's `skip` takes it. */
export function skipReason(): string | false {
  const found = privilege();
  return found.kind === "none" ? `no network namespaces here: ${found.reason}` : false;
}

/** Why nothing large can be restored through iptables-nft, if so: it sends a transaction in one message. */
export function longMessageSkip(): string | false {
  return privilege().kind !== "root" && "an ordinary user's netlink messages may not be as long as root's";
}

/**
 * Starts this very process again in namespaces of its own (network, mounts with a private /run; for an ordinary user
 * also users) and ends with its exit code. Returns where that is done already, or cannot be done. Everything made
 * inside goes with the process, however it ends; nothing of the host's is in reach. The network namespace is a second
 * one: in the first, made before the user namespace knows its users, some files under /proc/net are nobody's to read.
 */
export function enterSandbox(): void {
  const inside = process.env[MARK] !== undefined;
  if (inside) endWithParent();
  const found = privilege();
  if (inside || found.kind === "none") return;
  const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const ran = spawnSync(
    "unshare",
    [FLAGS[found.kind], "sh", "-c", `mount -t tmpfs tmpfs /run && exec unshare -n "$@"`, "sh", ...again],
    {
      env: { ...sandboxEnvironment(), [MARK]: found.kind },
      stdio: "inherit",
    },
  );
  process.exit(ran.status ?? 1);
}

function ways(): readonly Way[] {
  return process.getuid?.() === 0 ? ["root", "user-namespace"] : ["user-namespace"];
}

function tryWay(way: Way): string | undefined {
  const tried = spawnSync("unshare", [FLAGS[way], "sh", "-c", PROBE], { env: sandboxEnvironment(), encoding: "utf8" });
  if (tried.status === 0) return undefined;
  const words = tried.error?.message ?? tried.stderr.trim().split("\n")[0];
  return `as ${way}: ${words === undefined || words === "" ? `status ${tried.status}` : words}`;
}

// The outer process is blocked while we run, so a signal that ends it is only seen as a change of our parent.
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
  }, 500).unref();
}
