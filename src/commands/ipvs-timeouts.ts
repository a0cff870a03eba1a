// For how long does IPVS remember idle connections?
import { KernelError } from "../errors.ts";
import { changeTimeouts, type IpvsAccess } from "../kernel/ipvs.ts";
import type { IPVSOptions } from "../options/options.ts";
import type { Log } from "../sync/log.ts";

/** Milliseconds. */
type Timeouts = Pick<IPVSOptions, "tcpTimeout" | "tcpFinTimeout" | "udpTimeout">;

/** Seconds: more do not fit into a message. The kernel refuses far less. */
const LONGEST = 0xffff_ffff;

/** In whole seconds, as kube-proxy: 0 leaves the kernel's own value. A refusal is logged and no reason not to run. */
export async function setIpvsTimeouts(timeouts: Timeouts, log: Log, access?: IpvsAccess): Promise<void> {
  const { tcpTimeout, tcpFinTimeout, udpTimeout } = timeouts;
  if (tcpTimeout <= 0 && tcpFinTimeout <= 0 && udpTimeout <= 0) return;
  const seconds = (milliseconds: number) => Math.min(Math.floor(milliseconds / 1000), LONGEST);
  try {
    const wanted = { tcp: seconds(tcpTimeout), tcpFin: seconds(tcpFinTimeout), udp: seconds(udpTimeout) };
    await changeTimeouts(wanted, access);
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    log.error({ code: error.refusal.code, err: error.message }, "IPVS keeps its own timeouts");
  }
}
