// How do manifests become the changes that a source would tell?
import { readDocument } from "../../src/api/document.ts";
import { identify } from "../../src/api/object-name.ts";
import type { KubernetesObject } from "../../src/api/objects.ts";
import type { Change } from "../../src/source/source.ts";
import type { Manifest } from "./cluster.ts";

/** These objects, new or newer. */
export function set(manifests: readonly Manifest[]): readonly Change[] {
  return manifests.flatMap(read).map((object): Change => ({ type: "set", object }));
}

/** These objects are gone. */
export function remove(manifests: readonly Manifest[]): readonly Change[] {
  return manifests.flatMap(read).map((object): Change => ({ type: "delete", identity: identify(object) }));
}

function read(manifest: Manifest): readonly KubernetesObject[] {
  const { objects, problems } = readDocument(manifest, { source: "the measured cluster" });
  const [problem] = problems;
  if (problem) throw problem;
  return objects;
}
