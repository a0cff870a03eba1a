// Does the process answer at all? `/healthz` of the metrics server, which knows nothing of the proxy.
import { type Answerer, plainText } from "./answer.ts";
import type { CheckMetrics } from "./metrics-health.ts";

/** The only check there is. */
const NAME = "ping";

/** `/healthz/ping`. */
export const ping: Answerer = () => plainText("ok");

/** `/healthz` as Kubernetes' servers answer it: `?verbose` lists the checks, `?exclude=NAME` leaves one out. */
export function pingChecks(checks: CheckMetrics): Answerer {
  return ({ query }) => {
    const excluded = new Set(query.getAll("exclude"));
    const left = excluded.delete(NAME);
    if (!left) checks.checked(NAME, "healthz", true);
    if (!query.has("verbose")) return plainText("ok");
    const unknown = [...excluded].map((name) => JSON.stringify(name)).join(",");
    const lines = [
      `[+]${NAME} ${left ? "excluded: " : ""}ok`,
      ...(unknown === "" ? [] : [`warn: some health checks cannot be excluded: no matches for ${unknown}`]),
      "healthz check passed",
    ];
    return plainText(`${lines.join("\n")}\n`);
  };
}
