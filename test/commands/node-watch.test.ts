import t from "tap";
import type { Node } from "../../src/api/objects.ts";
import { watchNode } from "../../src/commands/node-watch.ts";
import type { Change } from "../../src/source/source.ts";
import { createLog } from "../../src/sync/log.ts";
import { buildNode } from "../support/build.ts";
import { HandSource } from "../support/hand-source.ts";

const GONE: Change = { type: "delete", identity: { kind: "Node", namespace: "", name: "n1" } };
const OTHER_RANGES = { podCIDRs: ["10.99.0.0/24"] };
const OTHER_IPS = { addresses: ["192.0.2.99"] };

function set(given: Partial<Node> = {}): Change {
  return { type: "set", object: buildNode(given) };
}

function isOurNode(change: Change): boolean {
  return change.type === "set" && change.object.name === "n1";
}

const CASES: readonly {
  readonly name: string;
  readonly usesPodCIDRs: boolean;
  readonly said: readonly Change[];
  readonly lines: readonly RegExp[];
  readonly ends?: RegExp;
  readonly unknown?: true;
}[] = [
  { name: "nothing new", usesPodCIDRs: true, said: [set()], lines: [] },
  { name: "another zone", usesPodCIDRs: true, said: [set({ zone: "z2" })], lines: [] },
  { name: "another Node", usesPodCIDRs: true, said: [set({ name: "n2", ...OTHER_RANGES })], lines: [] },
  {
    name: "other pod ranges that are used",
    usesPodCIDRs: true,
    said: [set(OTHER_RANGES)],
    lines: [],
    ends: /^the node's podCIDRs changed from \[10\.244\.0\.0\/24, fd00:244::\/64\] to \[10\.99\.0\.0\/24\]$/,
  },
  { name: "other pod ranges that nobody uses", usesPodCIDRs: false, said: [set(OTHER_RANGES)], lines: [] },
  {
    name: "other IPs",
    usesPodCIDRs: true,
    said: [set(OTHER_IPS), set(OTHER_IPS)],
    lines: [
      /^W.*"Addresses of the Node changed" node="n1" was=\["192\.0\.2\.10","2001:db8:a::10"\] is=\["192\.0\.2\.99"\]/,
    ],
  },
  { name: "its end", usesPodCIDRs: true, said: [GONE, set()], lines: [/^W.*"Node object was deleted; .*" node="n1"/] },
  { name: "its first appearance", usesPodCIDRs: false, said: [set(OTHER_IPS)], lines: [], unknown: true },
  {
    name: "its first appearance with pod ranges that are used",
    usesPodCIDRs: true,
    said: [set(OTHER_RANGES)],
    lines: [],
    ends: /from \[\] to \[10\.99\.0\.0\/24\]/,
    unknown: true,
  },
];

for (const { name, usesPodCIDRs, said, lines, ends, unknown } of CASES) {
  t.test(`${name}: ${ends ? "the daemon ends" : "it goes on"}`, async (t) => {
    const spoken: string[] = [];
    const told: Node[] = [];
    const sawNode = (node: Node) => told.push(node);
    const log = createLog("text", (line) => spoken.push(line))("node-watch.ts");
    const objects = new HandSource();
    for (const change of said) objects.say(change);
    objects.end();
    const node = unknown ? undefined : buildNode();
    const watched = watchNode({ source: objects.read(), nodeName: "n1", node, usesPodCIDRs, sawNode, log });
    const seen: Change[] = [];
    const follow = async () => {
      for await (const { changes } of watched) seen.push(...changes);
    };
    if (ends) await t.rejects(follow(), { name: "FatalError", message: ends });
    else await follow();
    t.strictSame(seen, ends ? [] : said);
    t.equal(told.length, said.filter(isOurNode).length, "whoever asks for eligibility is told of each Node");
    t.equal(spoken.length, lines.length);
    t.match(spoken, lines);
    t.ok(objects.closed);
  });
}
