// What must hold for a rule to be used, in words short enough for a picture?
import type { LineOption } from "./line-options.ts";

type Options = ReadonlyMap<string, LineOption>;

/** How an option is said; undefined: it says nothing alone, or pictures tell it in another way. */
type Say = ((value: string) => string) | undefined;

const SAYINGS: ReadonlyMap<string, Say> = new Map<string, Say>([
  ...silent("-A", "-m", "-p", "--dport", "--comment", "--mode", "--probability", "--match-set"),
  ...silent("--rcheck", "--set", "--seconds", "--reap", "--name", "--mask", "--rsource"),
  ["-d", (value) => `to ${bare(value)}`],
  ["-s", (value) => `from ${bare(value)}`],
  ["-i", (value) => `from interface ${value}`],
  ["--dst-type", (value) => (value === "LOCAL" ? "to this node" : `to ${value}`)],
  ["--src-type", (value) => (value === "LOCAL" ? "from this node" : `from ${value}`)],
  ["--ctstate", (value) => (value === "NEW" ? "new connections" : `state ${value}`)],
  ["--physdev-is-in", () => "over a bridge"],
  ["--nfacct-name", (value) => `counted as ${value}`],
]);

function silent(...names: readonly string[]): readonly (readonly [string, Say])[] {
  return names.map((name) => [name, undefined]);
}

/** All that must hold, one by one; what is not known here stands as it is written. Empty: the rule is always used. */
export function conditionsOf(options: Options): readonly string[] {
  const end = endOf(options);
  const others = [...options].flatMap(([name, option]) => {
    if (end !== undefined && name === "-d" && !option.not) return [];
    return sayOption(name, option);
  });
  return end === undefined ? others : [end, ...others];
}

function sayOption(name: string, { not, values }: LineOption): readonly string[] {
  const value = values.join(" ");
  const say = SAYINGS.get(name);
  if (say) return [`${not ? "not " : ""}${say(value)}`];
  if (SAYINGS.has(name)) return [];
  return [[...(not ? ["!"] : []), name, ...values].join(" ")];
}

/** `10.96.1.5:443/tcp`, or as much of it as the rule asks for; undefined where it asks for no port and protocol. */
function endOf(options: Options): string | undefined {
  const [protocol] = options.get("-p")?.values ?? [];
  if (protocol === undefined) return undefined;
  const [port] = options.get("--dport")?.values ?? [];
  const service = port === undefined ? protocol : `${port}/${protocol}`;
  const destination = options.get("-d");
  const [network] = destination?.values ?? [];
  if (network === undefined || destination?.not) return service;
  const address = bare(network);
  return `${address.includes(":") ? `[${address}]` : address}${port === undefined ? " " : ":"}${service}`;
}

/** Without the length of a prefix that is the whole address. */
function bare(network: string): string {
  return network.replace(network.includes(":") ? /\/128$/ : /\/32$/, "");
}
