// Which options does `ipvsadm` write behind a virtual or a real server, and what do they mean?
import type { VirtualServer } from "./virtual-server.ts";

/** Options by the name they are written with; an empty value where none is written. */
export type Options = ReadonlyMap<string, string>;

/** What the options of a virtual server say of it. */
export type ServerOptions = Pick<VirtualServer, "scheduler" | "schedulerFlags" | "persistence" | "otherFlags">;

const VALUED = new Set(["-s", "-M", "-b", "-r", "-w", "-x", "-y", "pe", "--pe", "--tun-type", "--tun-port"]);
const BARE = new Set(["-m", "-i", "-g", "-o", "ops", "--tun-nocsum", "--tun-csum", "--tun-remcsum"]);

/** Whose value may be left out. */
const PERSISTENCE = "-p";

/** Seconds that the tool takes where that value is left out. */
const USUAL_PERSISTENCE = 300;

/** What the tool takes where no scheduler is named. */
const USUAL_SCHEDULER = "wlc";

/** Flag 0x4: each packet goes to another real server. */
const ONE_PACKET = 0x4;

/** Names of a scheduler's own flags; `sh` and `mh` have words of their own for the first two. */
const SCHEDULER_FLAGS: readonly (readonly [bit: number, general: string, own: string])[] = [
  [0x8, "flag-1", "fallback"],
  [0x10, "flag-2", "port"],
  [0x20, "flag-3", "flag-3"],
];

/** Undefined where one is not known, or lacks its value. */
export function readOptions(words: readonly string[]): Options | undefined {
  const options = new Map<string, string>();
  const left = [...words];
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const bare = BARE.has(name) || (name === PERSISTENCE && !/^\d+$/.test(left[0] ?? ""));
    const value = bare ? "" : left.shift();
    if (value === undefined || !(bare || name === PERSISTENCE || VALUED.has(name))) return undefined;
    options.set(name, value);
  }
  return options;
}

/** Undefined where a flag of the scheduler is not known. */
export function readServerOptions(options: Options): ServerOptions | undefined {
  const schedulerFlags = readFlags(options.get("-b"));
  if (schedulerFlags === undefined) return undefined;
  return {
    scheduler: options.get("-s") ?? USUAL_SCHEDULER,
    schedulerFlags,
    persistence: options.has(PERSISTENCE) ? Number(options.get(PERSISTENCE) || USUAL_PERSISTENCE) : 0,
    ...(options.has("-o") || options.has("ops") ? { otherFlags: ONE_PACKET } : {}),
  };
}

/** With a blank before each option. */
export function printServerOptions({ scheduler, schedulerFlags, persistence, otherFlags = 0 }: ServerOptions): string {
  const flags = printFlags(scheduler, schedulerFlags);
  return [
    ` -s ${scheduler}`,
    persistence > 0 ? ` ${PERSISTENCE} ${persistence}` : "",
    (otherFlags & ONE_PACKET) !== 0 ? " -o" : "",
    flags === "" ? "" : ` -b ${flags}`,
  ].join("");
}

function readFlags(text = ""): number | undefined {
  let flags = 0;
  for (const name of text.split(",").filter((part) => part !== "")) {
    const found = SCHEDULER_FLAGS.find(([, ...names]) => names.includes(name.replace(/^[sm]h-/, "")));
    if (found === undefined) return undefined;
    flags |= found[0];
  }
  return flags;
}

function printFlags(scheduler: string, flags: number): string {
  const hasOwnWords = scheduler === "sh" || scheduler === "mh";
  return SCHEDULER_FLAGS.filter(([bit]) => (flags & bit) !== 0)
    .map(([bit, general, own]) => (hasOwnWords && bit !== 0x20 ? `${scheduler}-${own}` : general))
    .join(",");
}
