// Can any text in any object carry a rule, a command or a terminal escape into what we make of it?
import t, { type Test } from "tap";
import { readDocument } from "../../src/api/document.ts";
import { KINDS } from "../../src/api/object-name.ts";
import type { KubernetesObject } from "../../src/api/objects.ts";
import { parseAddress } from "../../src/net/address.ts";
import { parseCidr } from "../../src/net/cidr.ts";
import { findTexts, fullObject, type Path, spoil } from "../support/full-objects.ts";

const HOSTILE: readonly string[] = [
  'a" -j ACCEPT',
  "x\n-A INPUT -j ACCEPT",
  "-j",
  "--to-destination",
  "$(id)",
  "`id`",
  "::1%eth0",
  "10.0.0.1 -j ACCEPT",
  "10.0.0.0/8,0.0.0.0/0",
  "10.0.0.1\n",
  "web\n",
  "\nweb",
  "a/b",
  "a:b",
  "..",
  "x".repeat(300),
  "w\u0435b",
  "\u001b[2J",
  "\u0000",
  "__proto__",
  " ",
  "#web",
  "!web",
];

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
const ZONE = /^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$/;

const isLabel = (text: string) => LABEL.test(text);
const isSubdomain = (text: string) => SUBDOMAIN.test(text);
const isAddress = (text: string) => parseAddress(text)?.text === text;
const isCidr = (text: string) => parseCidr(text)?.text === text;
const isPod = (text: string) => text.split("/").length === 2 && text.split("/").every(isSubdomain);
const oneOf =
  (...words: readonly string[]) =>
  (text: string) =>
    words.includes(text);
const orNone = (fits: (text: string) => boolean) => (text: string) => text === "" || fits(text);
const policy = oneOf("Cluster", "Local");

/** The grammar of every text field that an object of ours has, by its name; `name` differs by what it names. */
const GRAMMARS: Readonly<Record<string, (text: string) => boolean>> = {
  kind: oneOf(...KINDS),
  namespace: isLabel,
  name: isSubdomain,
  type: oneOf("ClusterIP", "NodePort", "LoadBalancer", "ExternalName", "Unknown"),
  clusterIP: (text) => text === "None" || orNone(isAddress)(text),
  clusterIPs: isAddress,
  ipFamilies: oneOf("IPv4", "IPv6"),
  family: oneOf("IPv4", "IPv6"),
  "ports.name": orNone(isLabel),
  protocol: oneOf("TCP", "UDP", "SCTP"),
  externalIPs: isAddress,
  ingressVIPs: isAddress,
  sourceRanges: (text) => text === "everyone" || isCidr(text),
  externalTrafficPolicy: policy,
  internalTrafficPolicy: policy,
  service: isLabel,
  address: isAddress,
  nodeName: orNone(isSubdomain),
  zoneHints: (text) => ZONE.test(text),
  nodeHints: isSubdomain,
  pod: orNone(isPod),
  zone: orNone((text) => ZONE.test(text)),
  addresses: isAddress,
  podCIDRs: isCidr,
  ips: isAddress,
};

function fieldOf(path: Path): string {
  const names = path.filter((step) => typeof step === "string");
  const last = names.at(-1) ?? "";
  return last === "name" && names.includes("ports") ? "ports.name" : last;
}

function findBreaches(object: KubernetesObject): readonly string[] {
  const texts: readonly (readonly [Path, unknown])[] = findTexts(object).map((path) => [path, follow(object, path)]);
  return texts.flatMap(([path, text]) => {
    const fits = GRAMMARS[fieldOf(path)];
    return typeof text === "string" && fits?.(text) ? [] : [`${path.join(".")}: ${JSON.stringify(text)}`];
  });
}

function follow(value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return value;
  const inside = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return follow(inside.find(([key]) => key === String(step))?.[1], rest);
}

/** Fields that we read but keep nothing of: what stands there cannot do harm and need not be complained about. */
const NOT_KEPT =
  /annotations|metadata\.labels\.app|selector|note|targetRef\.kind|status\.addresses\.\d\.type|addresses\.1$/;

for (const kind of KINDS) {
  t.test(`no text of a ${kind} gets out of its grammar`, (t) => {
    const whole = fullObject(kind);
    t.strictSame(readDocument(whole, {}).objects.flatMap(findBreaches), [], "the full object itself fits");
    for (const path of findTexts(whole)) {
      for (const text of HOSTILE) checkHostile(t, spoil(whole, path, text), path, text);
    }
    t.end();
  });
}

function checkHostile(t: Test, raw: unknown, path: Path, text: string): void {
  const where = `${path.join(".")} = ${JSON.stringify(text).slice(0, 40)}`;
  const { objects, problems, passedOver } = readDocument(raw, {});
  const breaches = objects.flatMap(findBreaches);
  if (breaches.length > 0) t.fail(`${where} got through`, { breaches });
  const messages = [...problems.map(({ message }) => message), ...passedOver.map(({ reason }) => reason)];
  for (const message of messages) if (!/^[ -~]{1,300}$/.test(message)) t.fail(`${where}: unfit message`, { message });
  const blank = text.trim() === "" && path.includes("externalIPs");
  const field = String(path.findLast((step) => typeof step === "string"));
  // Another kind, or another group's, is passed over with a word on both.
  const told = path.length === 1 ? messages.length > 0 : messages.some((message) => message.includes(field));
  t.ok(told || blank || NOT_KEPT.test(path.join(".")), `${where} is told`);
}
