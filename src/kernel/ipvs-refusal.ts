// Why does IPVS refuse a change, in words?
import { KernelError } from "../errors.ts";
import { hostPort } from "../net/address.ts";
import type { ServerChange } from "../state/server-change.ts";
import { printIdentity } from "../state/virtual-server.ts";
import { errnoName } from "./netlink-message.ts";

const ERRNO = { ENOENT: 2, ESRCH: 3, EEXIST: 17, EINVAL: 22, EAFNOSUPPORT: 97 } as const;

/**
 * What to try instead of a change that met something else than was thought. Undefined where there is nothing: the
 * refusal, or the lack of one, stands.
 */
export function insteadOf(change: ServerChange, errno: number | undefined): ServerChange | undefined {
  if (errno !== ERRNO.EEXIST) return undefined;
  if (change.kind === "add-server") return { ...change, kind: "set-server" };
  return change.kind === "add-real" ? { ...change, kind: "set-real" } : undefined;
}

/** Undefined where the errno is 0 or none, or says that what is to go is gone. */
export function serverRefusal(change: ServerChange, errno: number | undefined): KernelError | undefined {
  if (!errno || isGone(change, errno)) return undefined;
  const real = "real" in change ? ` to ${hostPort(change.real.address, change.real.port)}` : "";
  return new KernelError({
    step: `ipvs ${change.kind}`,
    target: `${printIdentity(change.server)}${real}`,
    code: errnoName(errno),
    words: wordsFor(change, errno),
  });
}

function isGone(change: ServerChange, errno: number): boolean {
  const goes = change.kind.startsWith("remove-") || (change.kind === "set-real" && change.real.weight === 0);
  return goes && (errno === ERRNO.ESRCH || (errno === ERRNO.ENOENT && "real" in change));
}

function wordsFor(change: ServerChange, errno: number): string {
  if (errno === ERRNO.ESRCH) return "there is no such virtual server";
  if (errno === ERRNO.ENOENT && "real" in change) return "there is no such real server";
  if (errno === ERRNO.ENOENT && "scheduler" in change.server) return `no scheduler ${change.server.scheduler}`;
  if (errno === ERRNO.EAFNOSUPPORT) return "this kernel has no IPVS for the address family";
  return errno === ERRNO.EINVAL ? "the kernel does not take it" : "the kernel refuses";
}
