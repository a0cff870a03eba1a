// Where does this process spend its time, and what fills its memory?

/** `profile`: processor time. `heap`: what was allocated meanwhile and is still held. As pprof calls them. */
export const PROFILE_KINDS = ["profile", "heap"] as const;

export type ProfileKind = (typeof PROFILE_KINDS)[number];

/** Takes profiles of this process, as files that Chrome's developer tools open. */
export class Profiler {
  #busy = false;

  /** The JSON of a profile over so many milliseconds; undefined while another is being taken. */
  async take(kind: ProfileKind, milliseconds: number): Promise<string | undefined> {
    if (this.#busy) return undefined;
    this.#busy = true;
    try {
      return await record(kind, milliseconds);
    } finally {
      this.#busy = false;
    }
  }
}

async function record(kind: ProfileKind, milliseconds: number): Promise<string> {
  // Not at the head of the file: whoever never asks shall not pay for it.
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  try {
    if (kind === "profile") {
      await session.post("Profiler.enable");
      await session.post("Profiler.start");
      await pause(milliseconds);
      return JSON.stringify((await session.post("Profiler.stop")).profile);
    }
    await session.post("HeapProfiler.startSampling");
    await pause(milliseconds);
    return JSON.stringify((await session.post("HeapProfiler.stopSampling")).profile);
  } finally {
    session.disconnect();
  }
}

/** Does not keep the process alive. */
function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
