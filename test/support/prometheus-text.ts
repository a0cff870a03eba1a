// Is a text in the Prometheus exposition format, and what does it say? Throws at the first thing that is not.

export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const HELP = /^# HELP ([a-zA-Z_:][\w:]*) ((?:[^\\]|\\\\|\\n)*)$/;
const TYPE = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /^([a-zA-Z_]\w*)="((?:[^"\\]|\\\\|\\"|\\n)*)"(?:,(?=[a-zA-Z_])|$)/;
const VALUE = /^(-?\d+(\.\d+)?(e[+-]?\d+)?|[+-]Inf|NaN)$/;

/** Families in their order. Help and type come first, each family stands together, and none is without a sample. */
export function readPrometheusText(text: string): readonly MetricFamily[] {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const families: MetricFamily[] = [];
  const lines = text.slice(0, -1).split("\n");
  for (let at = 0; at < lines.length; ) {
    const family = readFamily(lines.slice(at));
    if (families.some(({ name }) => name === family.name)) throw new Error(`${family.name} stands twice`);
    checkFamily(family);
    families.push(family);
    at += 2 + family.samples.length;
  }
  return families;
}

/** The one value of a series in a text: `sampleOf(text, "x_total", { code: "200" })`; undefined where there is none. */
export function sampleOf(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const wanted = keyOf({ name, labels: new Map(Object.entries(labels)) });
  const samples = readPrometheusText(text).flatMap((family) => family.samples);
  return samples.find((sample) => keyOf(sample) === wanted)?.value;
}

function readFamily([help = "", type = "", ...rest]: readonly string[]): MetricFamily {
  const [, name, words] = HELP.exec(help) ?? fault("not a line of help", help);
  const [, typed, kind] = TYPE.exec(type) ?? fault("not a line of type", type);
  if (name !== typed) fault(`type of another metric than ${name}`, type);
  const end = rest.findIndex((line) => line.startsWith("#"));
  const samples = rest.slice(0, end === -1 ? rest.length : end).map(readSample);
  return { name: `${name}`, help: `${words}`, type: `${kind}`, samples };
}

function readSample(line: string): Sample {
  const [, name = "", labels = "", value = ""] = SAMPLE.exec(line) ?? fault("not a sample", line);
  if (!VALUE.test(value)) fault("not a value", line);
  return { name, labels: readLabels(labels), value: value.endsWith("Inf") ? Number(`${value}inity`) : Number(value) };
}

function readLabels(text: string): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  for (let rest = text; rest !== ""; ) {
    const [whole, name = "", value = ""] = LABEL.exec(rest) ?? fault("not labels", text);
    if (labels.has(name)) fault(`label ${name} stands twice`, text);
    labels.set(
      name,
      value.replace(/\\(.)/g, (_, one: string) => (one === "n" ? "\n" : one)),
    );
    rest = rest.slice(whole.length);
  }
  return labels;
}

function checkFamily({ name, type, samples }: MetricFamily): void {
  if (samples.length === 0) throw new Error(`${name} has no sample`);
  if (new Set(samples.map(keyOf)).size !== samples.length) throw new Error(`${name} has a series twice`);
  if (type === "histogram") checkHistograms(name, samples);
  else if (samples.some((sample) => sample.name !== name)) throw new Error(`a sample of another stands with ${name}`);
  if (type !== "gauge" && samples.some(({ value }) => !(value >= 0))) throw new Error(`${name} counts below zero`);
}

/** Each set of labels: buckets that ascend to +Inf and do not fall, then their sum, then as many as in the last. */
function checkHistograms(name: string, samples: readonly Sample[]): void {
  const keys = samples.map(({ labels }) => keyOf({ name, labels: without(labels, "le") }));
  for (const key of new Set(keys)) {
    const all = samples.filter((_, index) => keys[index] === key);
    const buckets = all.slice(0, -2);
    const names = [...buckets.map(() => `${name}_bucket`), `${name}_sum`, `${name}_count`];
    if (all.some((sample, index) => sample.name !== names[index])) throw new Error(`${key} is not a histogram`);
    const bounds = buckets.map(({ labels }) => Number(labels.get("le")?.replace("Inf", "Infinity") ?? Number.NaN));
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY || !ascends(bounds, 0)) throw new Error(`${key}: bounds ${bounds}`);
    const counts = [...buckets.map(({ value }) => value), all.at(-1)?.value ?? Number.NaN];
    if (!ascends(counts, -1) || counts.at(-1) !== counts.at(-2)) throw new Error(`${key}: counts ${counts}`);
  }
}

/** Each is more than the one before by more than `least`. */
function ascends(numbers: readonly number[], least: number): boolean {
  return numbers.every((one, index) => index === 0 || one - (numbers[index - 1] ?? Number.NaN) > least);
}

function without(labels: ReadonlyMap<string, string>, name: string): ReadonlyMap<string, string> {
  return new Map([...labels].filter(([other]) => other !== name));
}

function keyOf({ name, labels }: Pick<Sample, "name" | "labels">): string {
  return `${name}${JSON.stringify([...labels].sort())}`;
}

function fault(what: string, line: string): never {
  throw new Error(`${what}: ${line}`);
}
