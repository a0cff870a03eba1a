// How does a test get a live cluster that holds the same as manifests, and ask the command line about it?
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";
import { parseAllDocuments } from "yaml";
import { runCommandLine } from "../../src/cli.ts";
import { type ApiServer, type ApiServerOptions, startApiServer } from "./api-server/server.ts";
import type { ApiObject } from "./api-server/store.ts";
import { CollectedOutput } from "./collected-output.ts";
import { writeKubeconfig } from "./kubeconfig.ts";
import { tlsText } from "./tls-server.ts";

export interface LiveTestCluster {
  readonly server: ApiServer;
  /** Path. */
  readonly kubeconfig: string;
}

/** Over HTTPS; who asks shows a client certificate. */
export async function startLiveCluster(t: Test, files: readonly string[] = []): Promise<LiveTestCluster> {
  const ca = tlsText("authority.pem");
  const shown = { cert: tlsText("server.pem"), key: tlsText("server.key"), ca };
  const tls: ApiServerOptions["tls"] = { ...shown, requestCert: true, rejectUnauthorized: false };
  const server = await startApiServer({ tls });
  t.teardown(() => server.close());
  for (const object of files.flatMap(objectsIn)) server.set(object);
  const cluster = { server: server.url, "certificate-authority-data": Buffer.from(ca).toString("base64") };
  // The test may want its own `testdir` for something else.
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const kubeconfig = join(folder, "kubeconfig");
  copyFileSync(join(writeKubeconfig(t, { cluster, user: USER }), "kubeconfig"), kubeconfig);
  return { server, kubeconfig };
}

/** Whom the server knows. */
export const USER = {
  "client-certificate-data": Buffer.from(tlsText("worker-a.pem")).toString("base64"),
  "client-key-data": Buffer.from(tlsText("worker-a.key")).toString("base64"),
};

/** As an API server has them, a namespace is always told. */
function objectsIn(file: string): readonly ApiObject[] {
  return parseAllDocuments(readFileSync(file, "utf8")).map((document) => {
    const { metadata, ...object }: ApiObject = document.toJS();
    return { ...object, metadata: object.kind === "Node" ? metadata : { namespace: "default", ...metadata } };
  });
}

export async function ask(...args: readonly string[]) {
  const output = new CollectedOutput();
  const code = await runCommandLine(args, output);
  return { code, text: output.text, notes: output.notes };
}
