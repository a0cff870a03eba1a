// The rest_client_* metrics of requests to the API server (component-base/metrics/prometheus/restclient).
import { type Group, makeCounter, makeHistogram } from "./metrics-makers.ts";

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
