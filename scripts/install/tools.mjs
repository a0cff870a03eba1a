// Are the system's network tools here? Root on a Debian gets what is missing, everyone else a warning.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Where administrators' programs live; not on an ordinary user's PATH, yet of use to them in a user namespace. */
const SYSTEM_FOLDERS = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

/**
 * Programs, with the Debian package each comes in and what cannot be done without it.
 * @type {readonly { program: string, from: string, without: string }[]}
 */
const TOOLS = [
  { program: "iptables-restore", from: "iptables", without: "no rule can be loaded or read" },
  { program: "ip6tables-restore", from: "iptables", without: "no IPv6 rule can be loaded or read" },
  { program: "ip", from: "iproute2", without: "no network namespace can be made" },
  { program: "conntrack", from: "conntrack", without: "stale UDP flows cannot be looked at" },
  { program: "ipset", from: "ipset", without: "sets cannot be looked at" },
  { program: "nft", from: "nftables", without: "a fault in nft rules cannot be looked at" },
  { program: "qemu-system-x86_64", from: "qemu-system-x86", without: "nothing of IPVS can be tested on a real kernel" },
];

/** The environment of all that uses these tools. */
export function toolEnvironment() {
  return { ...process.env, PATH: [process.env.PATH, ...SYSTEM_FOLDERS].join(":") };
}

/**
 * Installs the missing ones of the tools from these Debian packages, where that is possible; never throws, but says on
 * standard error what remains missing and what that means.
 * @param {readonly string[]} packages
 */
export function installTools(packages) {
  const wanted = TOOLS.filter(({ from }) => packages.includes(from));
  const missing = wanted.filter(isMissing);
  if (missing.length === 0) return;
  const why = installWithApt([...new Set(missing.map(({ from }) => from))]);
  for (const { program, from, without } of missing.filter(isMissing)) {
    console.error(`warning: ${program} is missing (Debian package ${from}; ${why}): ${without}`);
  }
}

/** @param {{ program: string }} tool */
function isMissing({ program }) {
  const folders = (toolEnvironment().PATH ?? "").split(":");
  return !folders.some((folder) => folder !== "" && existsSync(`${folder}/${program}`));
}

/**
 * @param {string[]} packages
 * @returns {string} why a program may still be missing afterwards
 */
function installWithApt(packages) {
  if (process.getuid?.() !== 0) return "only root can install it";
  if (!existsSync("/usr/bin/apt-get")) return "there is no apt-get to install it with";
  console.error(`Installing Debian packages: ${packages.join(" ")}`);
  // An outdated list of packages may still do, so a failing update alone is not the end.
  apt(["update", "-qq"]);
  apt(["install", "-qq", "-y", "--no-install-recommends", ...packages]);
  return "apt-get could not install it";
}

/** @param {string[]} args */
function apt(args) {
  const options = ["-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20", "-o", "Dpkg::Use-Pty=0"];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", [...options, ...args], { env, stdio: ["ignore", 2, 2], timeout: 300_000 });
}
