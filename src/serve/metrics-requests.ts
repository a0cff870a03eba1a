// The rest_client_* metrics of requests to the API server (component-base/metrics/prometheus/restclient).
import { type Group, makeCounter, makeGauge, makeHistogram } from "./metrics-makers.ts";

/** One request that is over. */
export interface RequestReport {
  /** Host and port of the server: `10.0.0.1:6443`. */
  readonly host: string;
  readonly method: string;
  /** Status of the answer; absent when there was none. */
  readonly code?: number;
  /** Milliseconds until the answer was read; absent for a watch, whose answer is read for minutes. */
  readonly elapsed?: number;
  /** Milliseconds that the request waited for its turn. */
  readonly throttled?: number;
  /** Bytes of the body that was sent, where there was one. */
  readonly requestSize?: number;
  /** Bytes of the answer's body; absent without an answer, and for a watch. */
  readonly responseSize?: number;
}

/** Called once for each request, whatever became of it. Neither throws nor waits. */
export type RequestObserver = (report: RequestReport) => void;

/** One run of a credential plugin of the kubeconfig. */
export interface PluginReport {
  readonly code: number;
  readonly status: string;
  /** Validity of the client certificate that it returned, in milliseconds since 1970. */
  readonly certificate?: { readonly notBefore: number; readonly notAfter: number };
}

/** Called after each run. */
export type PluginObserver = (report: PluginReport) => void;

// Upper bounds in seconds, those of Kubernetes' own clients.
const BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

// The same in bytes.
const SIZES = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

export function observeRequests(group: Group): RequestObserver {
  const requests = makeCounter(group, {
    name: "rest_client_requests_total",
    help: "Requests to the API server by status code, method and host",
    labelNames: ["code", "host", "method"],
  });
  const duration = makeHistogram(group, {
    name: "rest_client_request_duration_seconds",
    help: "Seconds until an answer of the API server was read, by verb and host",
    labelNames: ["host", "verb"],
    buckets: BUCKETS,
  });
  const limiter = makeHistogram(group, {
    name: "rest_client_rate_limiter_duration_seconds",
    help: "Seconds that requests waited because of the client's own rate limit, by verb and host",
    labelNames: ["host", "verb"],
    buckets: BUCKETS,
  });
  const requestSizes = makeHistogram(group, {
    name: "rest_client_request_size_bytes",
    help: "Bytes of the bodies of requests to the API server, by verb and host",
    labelNames: ["host", "verb"],
    buckets: SIZES,
  });
  const responseSizes = makeHistogram(group, {
    name: "rest_client_response_size_bytes",
    help: "Bytes of the bodies of answers of the API server, by verb and host",
    labelNames: ["host", "verb"],
    buckets: SIZES,
  });
  return ({ host, method, code, elapsed, throttled, requestSize, responseSize }) => {
    const labels = { host, verb: method };
    requests.inc({ code: code === undefined ? "<error>" : String(code), host, method });
    if (elapsed !== undefined) duration.observe(labels, elapsed / 1000);
    if (throttled !== undefined) limiter.observe(labels, throttled / 1000);
    if (requestSize !== undefined) requestSizes.observe(labels, requestSize);
    if (responseSize !== undefined) responseSizes.observe(labels, responseSize);
  };
}

// Seconds: ten minutes to four years.
const AGES = [600, 1800, 3600, 14_400, 86_400, 604_800, 2_592_000, 7_776_000, 15_552_000, 31_104_000, 124_416_000];

/** `now`: milliseconds since 1970. */
export function observePlugin(group: Group, now: () => number): PluginObserver {
  let current: PluginReport["certificate"];
  const calls = makeCounter(group, {
    name: "rest_client_exec_plugin_call_total",
    help: "Runs of the credential plugin by exit code and outcome",
    labelNames: ["code", "call_status"],
  });
  const lifetime: ReturnType<typeof makeGauge> = makeGauge(group, {
    name: "rest_client_exec_plugin_ttl_seconds",
    help: "Seconds until the client certificate of the credential plugin expires; +Inf without one",
    collect: (): void => lifetime.set(current ? (current.notAfter - now()) / 1000 : Number.POSITIVE_INFINITY),
  });
  const ages = makeHistogram(group, {
    name: "rest_client_exec_plugin_certificate_rotation_age",
    help: "Age in seconds of a client certificate of the credential plugin when it was replaced",
    labelNames: [],
    buckets: AGES,
  });
  return ({ code, status, certificate }) => {
    calls.inc({ code: String(code), call_status: status });
    if (!certificate) return;
    if (current && current.notBefore !== certificate.notBefore) ages.observe((now() - current.notBefore) / 1000);
    current = certificate;
  };
}
