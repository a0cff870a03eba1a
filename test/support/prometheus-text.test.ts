// Does the reader of the Prometheus text refuse what Prometheus would refuse, or would read as something else?
import t from "tap";
import { readPrometheusText, sampleOf } from "./prometheus-text.ts";

const HEAD = "# HELP a_total what it counts\n# TYPE a_total counter\n";
const HISTOGRAM = "# HELP h what\n# TYPE h histogram\n";

t.test("families with their samples", (t) => {
  const text = `${HEAD}a_total{x="1",y="q\\"\\\\\\n,}"} 2e+3\n# HELP g c:\\\\d\n# TYPE g gauge\ng -Inf\n`;
  t.match(readPrometheusText(text), [
    { name: "a_total", help: "what it counts", type: "counter", samples: [{ name: "a_total", value: 2000 }] },
    { name: "g", type: "gauge", samples: [{ value: Number.NEGATIVE_INFINITY }] },
  ]);
  t.equal(sampleOf(text, "a_total", { y: 'q"\\\n,}', x: "1" }), 2000);
  t.equal(sampleOf(text, "a_total"), undefined);
  t.end();
});

t.test("a histogram", (t) => {
  const text = `${HISTOGRAM}h_bucket{le="0.5"} 1\nh_bucket{le="+Inf"} 3\nh_sum 4.5\nh_count 3\n`;
  t.equal(readPrometheusText(text)[0]?.samples.length, 4);
  t.end();
});

const REFUSED: readonly (readonly [string, string, RegExp])[] = [
  ["no end of the last line", `${HEAD}a_total 1`, /no end/],
  ["an empty line", `${HEAD}a_total 1\n\n`, /not a sample/],
  ["a sample without help", "a_total 1\n", /not a line of help/],
  ["help without a type", "# HELP a_total what\na_total 1\n", /not a line of type/],
  ["type of another metric", "# HELP a_total what\n# TYPE b_total counter\nb_total 1\n", /type of another metric/],
  ["a metric without a sample", HEAD, /a_total has no sample/],
  ["a metric in two places", `${HEAD}a_total 1\n${HEAD}a_total{x="1"} 1\n`, /a_total stands twice/],
  ["one series twice", `${HEAD}a_total{x="1",y="2"} 1\na_total{y="2",x="1"} 1\n`, /a series twice/],
  ["a sample of another metric", `${HEAD}b_total 1\n`, /sample of another/],
  ["a counter below zero", `${HEAD}a_total -1\n`, /below zero/],
  ["a value that is no number", `${HEAD}a_total Nan\n`, /not a value/],
  ["a label twice", `${HEAD}a_total{x="1",x="2"} 1\n`, /label x stands twice/],
  ["a label with a bare quote", `${HEAD}a_total{x="1"2"} 1\n`, /not labels/],
  ["a comma behind the last label", `${HEAD}a_total{x="1",} 1\n`, /not labels/],
  [
    "buckets that are not counted up",
    `${HISTOGRAM}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`,
    /counts/,
  ],
  [
    "bounds out of order",
    `${HISTOGRAM}h_bucket{le="2"} 0\nh_bucket{le="1"} 0\nh_bucket{le="+Inf"} 0\nh_sum 0\nh_count 0\n`,
    /bounds/,
  ],
  ["no infinite bound", `${HISTOGRAM}h_bucket{le="2"} 0\nh_sum 0\nh_count 0\n`, /bounds/],
  ["a count that is not that of the last bucket", `${HISTOGRAM}h_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n`, /counts/],
  ["a histogram without its sum", `${HISTOGRAM}h_bucket{le="+Inf"} 1\nh_count 1\n`, /not a histogram/],
];

for (const [name, text, reason] of REFUSED) {
  t.test(name, (t) => {
    t.throws(() => readPrometheusText(text), reason);
    t.end();
  });
}
