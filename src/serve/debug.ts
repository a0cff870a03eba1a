// What may be looked at, and turned, in a process that misbehaves? Only with `enableProfiling`.
import { type Answerer, plainText, typed } from "./answer.ts";
import { PROFILE_KINDS, type ProfileKind, type Profiler } from "./profiler.ts";

/** Bytes of a verbosity, and its greatest value. */
const MOST_BYTES = 16;
const MOST_VERBOSE = 2_147_483_647;

/** Seconds that a profile covers unless asked otherwise, and at most. */
const USUAL = 30;
const LONGEST = 300;

export interface DebugInput {
  readonly profiler: Profiler;
  readonly setVerbosity: (level: number) => void;
}

/** Everything below `/debug`. */
export function debugPages({ profiler, setVerbosity }: DebugInput): ReadonlyMap<string, Answerer> {
  const profiles = PROFILE_KINDS.map((kind): [string, Answerer] => [`/debug/pprof/${kind}`, profile(profiler, kind)]);
  const index = plainText(`${PROFILE_KINDS.map((kind) => `/debug/pprof/${kind}?seconds=${USUAL}`).join("\n")}\n`);
  return new Map([
    ...profiles,
    ["/debug/pprof", () => index],
    ["/debug/pprof/", () => index],
    ["/debug/flags", () => plainText("v: PUT /debug/flags/v\n")],
    ["/debug/flags/v", verbosity(setVerbosity)],
  ]);
}

/** As Kubernetes' components do it: PUT of a number, answered with a sentence. */
function verbosity(setVerbosity: (level: number) => void): Answerer {
  return async ({ method, body }) => {
    if (method !== "PUT") return plainText("unsupported http method\n", 406);
    const text = await body(MOST_BYTES);
    const level = /^\d+$/.test(text ?? "") ? Number(text) : Number.NaN;
    if (!(level <= MOST_VERBOSE)) {
      return plainText(`a verbosity is a number from 0 to ${MOST_VERBOSE}\n`, text === undefined ? 413 : 400);
    }
    setVerbosity(level);
    return plainText(`successfully set klog.logging.verbosity to ${text}\n`);
  };
}

function profile(profiler: Profiler, kind: ProfileKind): Answerer {
  return async ({ query }) => {
    const seconds = Number(query.get("seconds") ?? USUAL);
    if (!(seconds > 0 && seconds <= LONGEST)) {
      return plainText(`seconds must be a number above 0, ${LONGEST} at most\n`, 400);
    }
    const taken = await profiler.take(kind, seconds * 1000);
    if (taken === undefined) return plainText("another profile is being taken\n", 503);
    const { headers, ...answer } = typed("application/json", taken);
    const name = kind === "profile" ? "fairlead.cpuprofile" : "fairlead.heapprofile";
    return { ...answer, headers: { ...headers, "Content-Disposition": `attachment; filename="${name}"` } };
  };
}
