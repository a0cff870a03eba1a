// How does the API server answer us?
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
}

/** Called once for each request, whatever became of it. Neither throws nor waits. */
export type RequestObserver = (report: RequestReport) => void;

// Upper bounds in seconds, those of Kubernetes' own clients.
const BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

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
  return ({ host, method, code, elapsed }) => {
    requests.inc({ code: code === undefined ? "<error>" : String(code), host, method });
    if (elapsed !== undefined) duration.observe({ host, verb: method }, elapsed / 1000);
  };
}
