// What does the metrics server answer?
import type { FlagValue } from "../options/flag-values.ts";
import type { Options } from "../options/options.ts";
import type { Plain } from "../options/value-type.ts";
import { type Answer, type Answerer, byPath, json, plainText, typed } from "./answer.ts";
import { type DebugInput, debugPages } from "./debug.ts";
import type { Metrics } from "./metrics.ts";
import type { RenderedMetrics } from "./metrics-text.ts";
import { ping, pingChecks } from "./ping.ts";
import { flagz, type Status, statusz } from "./z-pages.ts";

/** The group under which `/configz` shows our configuration. */
const GROUP = "kubeproxy.config.k8s.io";

export interface StatusInput extends DebugInput, Omit<Status, "paths"> {
  readonly options: Pick<Options, "enableProfiling" | "served">;
  /** The mode that runs. */
  readonly mode: string;
  /** The configuration in its v1alpha1 form. */
  readonly configuration: { readonly [key: string]: Plain };
  /** The value of every flag. */
  readonly flags: readonly FlagValue[];
  readonly metrics: Pick<Metrics, "render" | "checks">;
  readonly rules: Answerer;
}

/** All paths of the metrics server; any other is not found. */
export function statusPages(input: StatusInput): Answerer {
  const { options, mode, configuration, flags, metrics, rules } = input;
  const { checks } = metrics;
  const { apiVersion, kind, ...fields } = configuration;
  const configz = json(JSON.stringify({ [GROUP]: { kind, apiVersion, ...fields } }));
  const pages = new Map<string, Answerer>([
    ["/healthz", pingChecks(checks)],
    ["/healthz/ping", ping],
    ["/proxyMode", () => plainText(mode)],
    ["/metrics", async ({ accept }) => rendered(await metrics.render(accept))],
    ["/configz", () => configz],
    ...(options.served.flagz ? [["/flagz", flagz(flags)] as const] : []),
  ]);
  const paths = [...new Set([...pages.keys()].map((path) => path.replace(/(?<=.)\/.*/, "")))];
  const rest: [string, Answerer][] = [
    [
      "/metrics/slis",
      async ({ method, accept }) => {
        if (method !== "DELETE") return rendered(await checks.render(accept));
        checks.reset();
        return plainText("metrics reset\n");
      },
    ],
    ["/rules", rules],
  ];
  if (options.served.statusz) rest.push(["/statusz", statusz({ ...input, paths })]);
  return byPath(new Map([...pages, ...rest, ...(options.enableProfiling ? debugPages(input) : [])]));
}

function rendered({ contentType, text }: RenderedMetrics): Answer {
  return typed(contentType, text);
}
