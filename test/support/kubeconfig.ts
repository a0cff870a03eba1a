// How does a test get a kubeconfig?
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";

/** Fields of the one cluster and the one user. */
export interface KubeconfigWish {
  readonly cluster: Readonly<Record<string, unknown>>;
  readonly user?: Readonly<Record<string, unknown>>;
}

/** Writes `kubeconfig`, beside these files, into a folder of the test's own, and gives that folder. */
export function writeKubeconfig(
  t: Test,
  { cluster, user = {} }: KubeconfigWish,
  files: Record<string, string> = {},
): string {
  const folder = t.testdir(files);
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "here",
    contexts: [{ name: "here", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
  };
  writeFileSync(join(folder, "kubeconfig"), JSON.stringify(config));
  return folder;
}
