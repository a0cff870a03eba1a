// Restarts the daemon over 600 programmed Services with an iptables-restore that refuses, and polls the kernel meanwhile:
// no Service loses its rules.
import "../support/enter-sandbox.ts";

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import { makeFollowedNode } from "../support/followed-node.ts";
import { VARIANTS, type Variant, variantSkip } from "../support/iptables-variant.ts";
import { longMessageSkip, skipReason } from "../support/sandbox.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(900_000);

const skip = skipReason() || longMessageSkip();

// Each case has a namespace of its own, and most of its time passes waiting.
t.jobs = 3;

const SERVICES = 600;

/** Services that change while the daemon is down, those that come, and where their endpoints are then. */
const CHANGED = 40;
const ADDED = 5;
const MOVED = "10.77";

/** Where the endpoints of refused Services are then. */
const REFUSED = "10.66";

/** Patterns of rules that the wrapper refuses: any with such an endpoint; any with a match that the kernel lacks. */
const ENDPOINT = "^-A .*10[.]66[.]";
const MATCH = "^-A .* -m recent ";

/** Milliseconds between two looks at the kernel, and until what has not come counts as never coming. */
const LOOK = 100;
const PATIENCE = 120_000;

/**
 * Stands for iptables-restore. As the real one, it carries out the tables before the one with the fault and says what the
 * real one says (1.8.9): iptables-nft names each rule that the kernel refused and exits with 4, iptables-legacy names the
 * COMMIT line and exits with 1. What is refused is said by files: `rules` has a pattern of rules, `all` refuses every
 * restore, `once` holds the words of one refusal.
 */
const WRAPPER = `
input="$FOLDER/input.$$"
cat >"$input"
echo >>"$FOLDER/restores"
refuse() { rm -f "$input"; exit "$1"; }
if [ -e "$FOLDER/once" ]; then cat "$FOLDER/once" >&2; rm "$FOLDER/once"; refuse 4; fi
if [ -e "$FOLDER/all" ]; then pattern='^(:|-[AX] )'; else pattern=$(cat "$FOLDER/rules" 2>/dev/null); fi
if [ -n "$pattern" ] && grep -Eq -- "$pattern" "$input"; then
  begin=$(awk -v p="$pattern" '/^\\*/ { begin = NR } $0 ~ p { print begin; exit }' "$input")
  head -n $((begin - 1)) "$input" | "$REAL" "$@" || refuse $?
  if [ "$VARIANT" = nft ]; then
    echo "iptables-restore v1.8.9 (nf_tables): " >&2
    awk -v p="$pattern" -v b="$begin" 'NR > b && $0 ~ p {
      if (/^-A/) print "line " NR ": RULE_APPEND failed (No such file or directory): rule in chain " $2
      if (/^-X/) print "line " NR ": CHAIN_DEL failed (Operation not permitted): chain " $2
      if (/^:/) print "line " NR ": CHAIN_USER_FLUSH failed (Operation not permitted): chain " substr($1, 2) }
      NR > b && /^COMMIT/ { exit }' "$input" >&2
    refuse 4
  fi
  echo "iptables-restore: line $(awk -v b="$begin" 'NR > b && /^COMMIT/ { print NR; exit }' "$input") failed" >&2
  refuse 1
fi
"$REAL" "$@" <"$input"
refuse $?
`;

/** A Service \`s-<number>\` of two endpoints. */
function manifestOf(number: number, prefix: string, affinity = "None"): string {
  const [high, low] = [Math.floor(number / 200), (number % 200) + 1];
  return `---
apiVersion: v1
kind: Service
metadata: {namespace: load, name: s-${number}}
spec: {type: ClusterIP, clusterIP: 10.96.${high}.${low}, clusterIPs: [10.96.${high}.${low}], sessionAffinity: ${affinity}, ports: [{protocol: TCP, port: 80}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {namespace: load, name: s-${number}-1, labels: {kubernetes.io/service-name: s-${number}}}
addressType: IPv4
ports: [{name: "", protocol: TCP, port: 8080}]
endpoints: [{addresses: [${prefix}.${high}.${low}]}, {addresses: [${prefix}.${high + 100}.${low}]}]
`;
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
const BEFORE = range(1, SERVICES)
  .map((number) => manifestOf(number, "10.244"))
  .join("");

/** The first Services are refused, those after them change, the last are new. */
function afterwards(refused: number, rules: string | undefined): string {
  const prefixOf = (number: number) =>
    number <= refused ? REFUSED : number <= CHANGED + refused || number > SERVICES ? MOVED : "10.244";
  return range(1, SERVICES + ADDED)
    .map((number) => manifestOf(number, prefixOf(number), number <= refused && rules === MATCH ? "ClientIP" : "None"))
    .join("");
}

/** Destinations by Service name, as a packet to the cluster IP finds them through the chains of the nat table. */
function served(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const chains = new Map<string, string[]>();
  for (const line of lines) {
    const chain = /^-A (\S+)/.exec(line)?.[1] ?? "";
    chains.set(chain, [...(chains.get(chain) ?? []), line]);
  }
  const targets = (chain: string, pattern: RegExp) =>
    (chains.get(chain) ?? []).flatMap((line) => pattern.exec(line)?.[1] ?? []);
  const found = new Map<string, readonly string[]>();
  for (const line of chains.get("KUBE-SERVICES") ?? []) {
    const [, name = "", chain = ""] = /load\/(s-\d+) cluster IP" .*-j (KUBE-SVC-\S+)/.exec(line) ?? [];
    const endpoints = targets(chain, /-j (KUBE-SEP-\S+)/).flatMap((end) => targets(end, /--to-destination (\S+):8080/));
    if (name !== "" && endpoints.length > 0) found.set(name, endpoints);
  }
  return found;
}

interface Case {
  readonly name: string;
  readonly refused: number;
  /** What the wrapper refuses at first. */
  readonly first: "once" | "rules" | "all";
  readonly rules?: string;
  readonly words?: Readonly<Record<Variant, string>>;
  /** Milliseconds that every restore is refused. */
  readonly lasting?: number;
}

/** Words of failures that say nothing of the rules. */
const TRANSIENT: Readonly<Record<Variant, string>> = {
  nft: "iptables-restore v1.8.9 (nf_tables): \nline 7: RULE_APPEND failed (Resource temporarily unavailable): rule in chain KUBE-SERVICES\n",
  legacy:
    "Another app is currently holding the xtables lock; still 4s 0us time ahead to have a chance to grab the lock...\nAnother app is currently holding the xtables lock. Stopped waiting after 5s.\n",
};

/** Words of a failure for which a rule may be to blame. */
const WITHOUT_ERRNO: Readonly<Record<Variant, string>> = {
  nft: "iptables-restore v1.8.9 (nf_tables): \nline 7: RULE_APPEND failed (No such file or directory): rule in chain KUBE-SERVICES\n",
  legacy: "iptables-restore: line 7 failed\n",
};

const CASES: readonly Case[] = [
  { name: "one transient failure", refused: 0, first: "once", words: TRANSIENT },
  { name: "one failure that does not repeat", refused: 0, first: "once", words: WITHOUT_ERRNO },
  { name: "2 refused Services", refused: 2, first: "rules", rules: ENDPOINT },
  { name: "25 refused Services", refused: 25, first: "rules", rules: MATCH },
  { name: "every restore refused for 20 s", refused: 0, first: "all", lasting: 20_000 },
];

for (const variant of VARIANTS) {
  for (const each of CASES) {
    const options = { buffered: true, skip: skip || variantSkip(variant) };
    t.test(`${variant}: no Service loses its rules over ${each.name}`, options, (t) => testRestart(t, variant, each));
  }
}

async function testRestart(
  t: Test,
  variant: Variant,
  { refused, first, rules, words = TRANSIENT, lasting = 0 }: Case,
): Promise<void> {
  const followed = await makeFollowedNode(t, variant);
  followed.show(BEFORE);
  const programming = followed.start();
  await followed.settled(t, "600 Services are programmed");
  await programming.stop();

  const folder = mkdtempSync("/run/fairlead-refusing-");
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string) => join(folder, name);
  const real = `${followed.env.PATH}/iptables-restore`;
  writeFileSync(file("iptables-restore"), `#!/bin/sh\nREAL=${real}\n${WRAPPER}`, { mode: 0o755 });
  writeFileSync(file(first), first === "once" ? words[variant] : (rules ?? ""));
  const restores = () => (existsSync(file("restores")) ? readFileSync(file("restores"), "utf8").length : 0);
  const env = { ...followed.env, FOLDER: folder, VARIANT: variant, PATH: `${folder}:${followed.env.PATH ?? ""}` };

  followed.show(afterwards(refused, rules));
  const [lost, looks] = [new Set<string>(), { count: 0 }];
  const look = async () => {
    const now = served(await followed.saved("IPv4"));
    looks.count++;
    for (const number of range(1, SERVICES)) if (!now.has(`s-${number}`)) lost.add(`s-${number}`);
    return now;
  };
  const daemon = followed.start(env);
  const innocent = [...range(refused + 1, CHANGED), ...range(SERVICES + 1, ADDED)];
  const isIn = (now: ReadonlyMap<string, readonly string[]>, numbers: readonly number[], prefix: string) =>
    numbers.every((number) => now.get(`s-${number}`)?.every((endpoint) => endpoint.startsWith(`${prefix}.`)));
  const begin = Date.now();
  let now = await look();
  while (Date.now() - begin < PATIENCE && !isIn(now, innocent, MOVED)) {
    if (first === "all" && existsSync(file("all")) && Date.now() - begin > lasting) {
      t.ok(restores() > 1, `${restores()} restores were refused, and none of them removed a rule`);
      t.strictSame([...lost], []);
      rmSync(file("all"));
    }
    await sleep(LOOK);
    now = await look();
  }
  const needed = restores();
  t.comment(`${looks.count} looks; ${needed} restores until all changes were in`);
  t.ok(isIn(now, innocent, MOVED), "Services that changed or are new are served as they are now");
  t.ok(isIn(now, range(1, refused), "10.244"), "refused Services are served as they were");
  t.ok(isIn(now, range(refused + CHANGED + 1, SERVICES - refused - CHANGED), "10.244"), "all others as ever");
  if (first === "rules") {
    const named = (await daemon.said(/quarantined/, refused)).map((line) => /servicePort="(.*?)"/.exec(line)?.[1]);
    t.strictSame(
      [...new Set(named)].filter((name) => Number(/s-(\d+)/.exec(name ?? "")?.[1]) <= refused).length,
      refused,
      "the log names each refused Service",
    );
    if (variant === "nft") t.equal(new Set(named).size, refused, "and no other");
    t.ok(needed <= 30, `${needed} restores`);
    rmSync(file("rules"));
  } else if (first === "once") {
    t.notMatch(daemon.lines.join("\n"), /quarantined/, "no Service is to blame");
  }
  await waitFor(async () => isIn(await look(), range(1, refused), REFUSED));
  await followed.settled(t, "when nothing is refused any more");
  t.strictSame([...lost], [], `no Service was without its rules in ${looks.count} looks`);
  await daemon.stop();
}

async function waitFor(isSo: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!(await isSo()) && Date.now() < end) await sleep(LOOK);
}
