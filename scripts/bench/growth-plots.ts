// How do connections and changes grow with the number of Services, in both layouts? Drawn into `plots`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Wanted } from "./flags.ts";
import { drawLines, type LinePlot, type Panel, type Series } from "./line-plot.ts";
import { askAll } from "./rows.ts";
import type { Row } from "./table.ts";

const FOLDER = fileURLToPath(new URL("../bench/plots/", import.meta.url));

/** Numbers of Services. */
const SIZES = [10, 100, 1000, 5000, 10_000, 20_000];

/** All rows of one number of Services. */
interface Sized {
  readonly services: number;
  readonly rows: readonly Row[];
}

/** A plot of one question, whose baseline is drawn as a line too. */
interface Growth extends Pick<LinePlot, "title"> {
  readonly file: string;
  readonly question: string;
  readonly baseline: string;
  readonly axis: string;
}

const GROWTHS: readonly Growth[] = [
  {
    file: "connect-time.svg",
    title: "TCP connect through a ClusterIP, the last of all Services",
    question: "TCP connect, last Service",
    baseline: "one Service alone",
    axis: "µs, median",
  },
  {
    file: "change-latency.svg",
    title: "From a changed EndpointSlice to the kernel",
    question: "one EndpointSlice changed *",
    baseline: "kube-proxy's restore",
    axis: "ms, median",
  },
];

/** Measures and draws; gives the files' paths. */
export async function plotGrowth(wanted: Wanted, machine: string): Promise<readonly string[]> {
  const sizes: Sized[] = [];
  for (const services of SIZES) {
    console.error(`${services} Services of ${wanted.size.endpoints} endpoints`);
    const size = { ...wanted.size, services };
    sizes.push({ services, rows: await askAll({ ...wanted, size, questions: ["connect", "slice"] }) });
  }
  mkdirSync(FOLDER, { recursive: true });
  return GROWTHS.map((growth) => {
    const path = join(FOLDER, growth.file);
    writeFileSync(path, drawLines(plotOf(growth, sizes, wanted, machine)));
    return path;
  });
}

function plotOf(growth: Growth, sizes: readonly Sized[], wanted: Wanted, machine: string): LinePlot {
  return {
    title: growth.title,
    note: `${wanted.size.endpoints} endpoints each; ${machine}`,
    axes: ["Services", growth.axis],
    panels: wanted.variants.map((variant): Panel => {
      const rows = sizes.map(({ services, rows }) => ({
        services,
        rows: rows.filter((row) => row.variant === variant),
      }));
      return { title: `iptables-${variant}`, series: seriesOf(growth, rows, wanted) };
    }),
  };
}

/** One for each layout, and the baseline of the first of them. */
function seriesOf({ question, baseline }: Growth, sizes: readonly Sized[], { layouts }: Wanted): readonly Series[] {
  const points = (layout: string | undefined, value: (row: Row) => number) =>
    sizes.flatMap(({ services, rows }) => {
      const row = rows.find((each) => each.question === question && each.layout === layout);
      return row ? [{ x: services, y: value(row) }] : [];
    });
  return [
    ...layouts.map((layout): Series => ({ name: layout, points: points(layout, ({ ours }) => ours) })),
    { name: baseline, points: points(layouts[0], (row) => row.baseline) },
  ];
}
