// Connects tests to their API server as the daemon does, without a limit on requests per second.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectCluster } from "../../../src/source/api-connection.ts";
import type { ApiConnection } from "../../../src/source/connection.ts";
import { tlsText } from "../tls-server.ts";

/** Connects to an API server that asks for no credentials; one with TLS shows `server.pem`. */
export function connectTo(url: string): ApiConnection {
  const ready = url.startsWith("https:") ? connectWithTls(url) : connect({ kubeconfig: "", master: url });
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

function connect({ kubeconfig, master }: { readonly kubeconfig: string; readonly master: string }) {
  const client = { kubeconfig, qps: -1, burst: 0 };
  return connectCluster({ client, master, userAgent: "kube-proxy/test", warn: () => {} });
}

async function connectWithTls(url: string): Promise<ApiConnection> {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  const kubeconfig = join(folder, "kubeconfig");
  const authority = Buffer.from(tlsText("authority.pem")).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    clusters: [{ name: "test", cluster: { server: url, "certificate-authority-data": authority } }],
    users: [{ name: "test", user: {} }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  try {
    return await connect({ kubeconfig, master: "" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
