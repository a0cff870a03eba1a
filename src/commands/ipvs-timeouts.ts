// For how long does IPVS remember idle connections?
import { KernelError } from "../errors.ts";
import { changeTimeouts } from "../kernel/ipvs.ts";
import type { IPVSOptions } from "../options/options.ts";
import type { Log } from "../sync/log.ts";

/** Milliseconds. */
type Timeouts = Pick<IPVSOptions, "tcpTimeout" | "tcpFinTimeout" | "udpTimeout">;

/** In whole seconds, as kube-proxy: 0 leaves the kernel's own value. A refusal is logged and no reason not to run. */
export async function setIpvsTimeouts({ tcpTimeout, tcpFinTimeout, udpTimeout }: Timeouts, log: Log): Promise<void> {
  if (tcpTimeout <= 0 && tcpFinTimeout <= 0 && udpTimeout <= 0) return;
  const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000);
  try {
    await changeTimeouts({ tcp: seconds(tcpTimeout), tcpFin: seconds(tcpFinTimeout), udp: seconds(udpTimeout) });
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    log.error({ code: error.refusal.code, err: error.message }, "IPVS keeps its own timeouts");
  }
}
