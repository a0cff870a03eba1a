// Defines the messages between a question and its API server.

/** A fault of the API server's own; `forgets`: no older version can be watched on from afterwards. */
export type ServerFault = (
  | { readonly type: "refused" }
  | { readonly type: "status"; readonly code: number; readonly retryAfter?: number }
  | { readonly type: "html" }
) & { readonly forgets: boolean };

/**
 * `churn`: changes number `first` and following, at `rate` per second. `create`: new Services with their slices, evenly
 * over the time, until the cluster has `services`. `outage`: all connections break, the
 * fault lasts so long, and the change is written in the middle of it.
 */
export type Order =
  | { readonly type: "change"; readonly change: number }
  | { readonly type: "outage"; readonly fault: ServerFault; readonly seconds: number; readonly change: number }
  | { readonly type: "churn"; readonly first: number; readonly rate: number; readonly seconds: number }
  | { readonly type: "create"; readonly services: number; readonly seconds: number };

/** What the server says of itself: where it listens, or that an order is carried out. */
export type Report =
  | { readonly type: "listening"; readonly port: number }
  | {
      readonly type: "written";
      /** When the last change was written, or the outage was over, on the clock of `monotonic`. */
      readonly at: number;
      readonly changes: number;
      /** The most bytes that ever waited here for the daemon to take them. */
      readonly waiting: number;
    };
