// How much did this process work?

/** Gives milliseconds of processor time since it was last asked; the first time, since it was made. */
export function workMeter(): () => number {
  let before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    return (user + system) / 1000;
  };
}
