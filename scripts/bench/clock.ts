// What time is it, for several processes alike?

/** Milliseconds on the kernel's monotonic clock. */
export function monotonic(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
