// How does a test speak to its API server: as the daemon does, without a limit on how often.

import { connectCluster } from "../../../src/source/api-connection.ts";
import type { ApiConnection } from "../../../src/source/connection.ts";

/** Connects to an API server that asks for no credentials. */
export function connectTo(url: string): ApiConnection {
  const client = { kubeconfig: "", qps: -1, burst: 0 };
  const ready = connectCluster({ client, master: url, userAgent: "kube-proxy/test", warn: () => {} });
  return {
    server: url,
    send: async (request) => (await ready).send(request),
    onConnected: (listener) => {
      const removed = ready.then((connection) => connection.onConnected(listener));
      return () => void removed.then((remove) => remove());
    },
    close: async () => (await ready).close(),
  };
}
