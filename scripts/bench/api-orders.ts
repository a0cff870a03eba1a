// What do a question and its API server say to each other?

/** `churn`: changes number `first` and following, so many a second, for so long. */
export type Order =
  | { readonly type: "change"; readonly change: number }
  | { readonly type: "churn"; readonly first: number; readonly rate: number; readonly seconds: number };

/** What the server says of itself: where it listens, or that an order is carried out. */
export type Report =
  | { readonly type: "listening"; readonly port: number }
  | {
      readonly type: "written";
      /** When the last change was written, on the clock of `monotonic`. */
      readonly at: number;
      readonly changes: number;
      /** The most bytes that ever waited here for the daemon to take them. */
      readonly waiting: number;
    };
