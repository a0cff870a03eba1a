// Ends the daemon on SIGTERM and SIGINT: in order where that is possible, and within ten seconds in any case.
import type { StoppableCommands } from "../kernel/command.ts";
import type { Log } from "../sync/log.ts";
import { FatalError } from "./failure.ts";

/**
 * Milliseconds from the request to stop. Until `terminate`, the sync in progress may finish; then its tools get SIGTERM,
 * then SIGKILL, and at `exit` the process ends whatever it waits for. A restore that is killed has committed each of its
 * tables either whole or not at all, and the next start observes the kernel.
 */
const DEADLINES = { terminate: 5_000, kill: 6_500, exit: 8_000 } as const;

/** Milliseconds that a process may live on after all its work has ended, for the log to be written. */
const LINGER = 1_500;

/** Milliseconds for the process's own signal to end it. */
const SIGNAL_DELIVERY = 100;

/** Exit status of a Go program that was sent SIGTERM as process 1 of a container, where the kernel ignores the signal. */
const GO_STATUS = 2;

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

export interface Shutdown {
  /** Aborted, by a signal or by the daemon itself, when the daemon has to stop. Starts the deadlines. */
  readonly stop: AbortController;
  /** A signal asked for the stop. */
  readonly signalled: boolean;
  /** To be called when all work has ended: signals have their default effect again. */
  close(): void;
}

/** A second signal ends the process and its tools at once. SIGHUP is ignored until `close`. */
export function listenForSignals(commands: StoppableCommands, log: Log): Shutdown {
  const stop = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  let received: NodeJS.Signals | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (received) return endNow();
    received = signal;
    stop.abort();
  };
  const endNow = () => {
    commands.stop("SIGKILL");
    if (!received) process.exit(1);
    for (const signal of SIGNALS) process.off(signal, onSignal);
    process.kill(process.pid, received);
    setTimeout(() => process.exit(GO_STATUS), SIGNAL_DELIVERY);
  };
  const after = (delay: number, action: () => void) => timers.push(setTimeout(action, delay));
  const startDeadlines = () => {
    after(DEADLINES.terminate, () => {
      const programs = commands.stop("SIGTERM");
      log.warn({ programs }, "Shutdown takes too long; terminating running programs");
    });
    after(DEADLINES.kill, () => commands.stop("SIGKILL"));
    after(DEADLINES.exit, () => {
      const { reason } = stop.signal;
      log.error(
        { ...(reason instanceof FatalError && { err: reason.message }) },
        "Shutdown did not finish in time; exiting",
      );
      endNow();
    });
  };
  stop.signal.addEventListener("abort", startDeadlines);
  // The listener stays to the end: without one, a signal during a sync would kill the process and its tools.
  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.on("SIGHUP", ignore);
  return {
    stop,
    get signalled() {
      return received !== undefined;
    },
    close: () => {
      stop.signal.removeEventListener("abort", startDeadlines);
      for (const timer of timers) clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, onSignal);
      process.off("SIGHUP", ignore);
      // A connection or a credential plugin that hangs must not keep a process alive that has nothing left to do.
      if (received) setTimeout(() => process.exit(), LINGER).unref();
    },
  };
}

/** SIGHUP (terminal closed, log rotated) neither stops nor reloads the daemon. */
function ignore(): void {}
