// Does a graph of anybody become a picture that its readers take, whatever is written in it?
import t from "tap";
import type { BoxKind, Graph } from "../../src/draw/graph.ts";
import { drawGraph, drawGraphs, type PictureFormat } from "../../src/draw/picture.ts";

const KINDS: readonly BoxKind[] = ["hook", "chain", "set", "server", "endpoint", "refusal", "stop", "crowd"];

const NASTY = `</text>"&'<b>\\n #quot; |x| \`y\` -- + 1. z\u0007\ud800 end é`;

function graphWith(text: string, kind: BoxKind = "chain"): Graph {
  return {
    title: text,
    boxes: [
      { id: "one", kind, caption: "", name: text, notes: [text] },
      { id: text, kind: "stop", caption: text, name: "two", notes: [] },
    ],
    arrows: [{ from: "one", to: text, labels: [text, text] }],
  };
}

function draw(graph: Graph, format: PictureFormat): string {
  return [...drawGraph(graph, format)].join("\n");
}

t.test("svg: no text is taken for markup", async (t) => {
  const svg = draw(graphWith(NASTY), "svg");
  const inText = [...svg.matchAll(/>([^<>]*)<\/(?:text|title|tspan)>/g)].map(([, text = ""]) => text);
  t.ok(inText.length >= 6);
  t.notOk(inText.some((text) => /&(?!#\d+;)|"/.test(text)));
  // All that XML forbids is gone, an unpaired half of a letter too.
  t.notOk(svg.includes("\u0007") || svg.includes("\ud800"));
  t.match(svg, "&#60;/text&#62;&#34;&#38;'&#60;b&#62;");
  t.equal(svg.match(/<text/g)?.length, svg.match(/<\/text>/g)?.length);
});

t.test("svg: both a light page and a dark one, nothing from elsewhere", async (t) => {
  const svg = draw(graphWith("KUBE-SERVICES"), "svg");
  t.match(svg, "@media (prefers-color-scheme: dark)");
  t.notMatch(svg, /url\(|href|<script|<image/);
  for (const kind of KINDS) t.equal(svg.match(new RegExp(`^\\.${kind} \\{ fill`, "gm"))?.length, 2, kind);
});

t.test("svg: an arrow drawn back points back", async (t) => {
  const boxes = ["a", "b"].map((id) => ({ id, kind: "chain" as const, caption: "", name: id, notes: [] }));
  const arrows = [
    { from: "a", to: "b", labels: [] },
    { from: "b", to: "a", labels: [] },
  ];
  const heads = draw({ title: "ring", boxes, arrows }, "svg").match(/class="head" d="[^"]*"/g) ?? [];
  t.match(heads[0], " l-8 ");
  t.match(heads[1], " l8 ");
});

t.test("mermaid: only letters that mean nothing there", async (t) => {
  const lines = draw(graphWith(NASTY), "mermaid").split("\n");
  const quoted = lines.flatMap((line) => /"(.*)"/.exec(line)?.[1]?.replaceAll("<br/>", "") ?? []);
  t.equal(quoted.length, 4);
  for (const text of quoted) t.match(text, /^(?:[A-Za-z0-9 :/,%().-]|#\d+;)*$/);
});

for (const [text, expected] of [
  ["KUBE-SVC-X 10.0.0.1:80/tcp", "KUBE-SVC-X 10.0.0.1:80/tcp"],
  ["+ 960 more", "#43; 960 more"],
  ["- no list", "#45; no list"],
  ["1. no list", "1#46; no list"],
  ['"quoted"', "#34;quoted#34;"],
] as const) {
  t.test(`mermaid: ${text}`, async (t) => {
    t.match(draw(graphWith(text), "mermaid"), `subgraph g0["${expected}"]`);
  });
}

t.test("dot: quotation marks, backslashes and entities stand for themselves", async (t) => {
  const dot = draw(graphWith('a "b" \\n &amp;'), "dot");
  t.match(dot, 'label="a \\"b\\" \\\\n &amp;amp;";');
  t.match(dot, "\\n", "lines are parted");
});

t.test("every kind of box has its colours", async (t) => {
  for (const kind of KINDS) {
    t.match(draw(graphWith("x", kind), "mermaid"), new RegExp(`classDef ${kind} fill:`));
    t.match(draw(graphWith("x", kind), "dot"), /"x\\nx", fillcolor=/);
  }
});

t.test("no graph at all is an empty picture", async (t) => {
  const svg = [...drawGraphs([], "svg")];
  t.match(svg[0], /^<svg [^>]*width="48" height="48"/);
  t.equal(svg.at(-1), "</svg>");
  t.strictSame([...drawGraphs([], "mermaid")], ["flowchart LR"]);
  t.equal([...drawGraphs([], "dot")].at(-1), "}");
});
