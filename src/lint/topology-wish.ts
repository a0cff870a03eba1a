// How does a Service ask for endpoints that are near?
import type { ServiceManifest } from "../api/service-manifest.ts";

export interface TopologyWish {
  readonly field: string;
  readonly text: string;
}

const ANNOTATIONS = ["service.kubernetes.io/topology-mode", "service.kubernetes.io/topology-aware-hints"];

/** What the control plane makes hints of. */
export const DISTRIBUTIONS: readonly string[] = ["PreferClose", "PreferSameZone", "PreferSameNode"];

/** The annotation that asks for hints, if there is one. */
export function annotatedWish({ annotations }: ServiceManifest): TopologyWish | undefined {
  const name = ANNOTATIONS.find((each) => /^[Aa]uto$/.test(annotations.get(each) ?? ""));
  return name === undefined ? undefined : { field: `metadata.annotations["${name}"]`, text: `annotation ${name}` };
}

/** The wish that counts: the control plane looks at the annotations first. */
export function wishOf(manifest: ServiceManifest): TopologyWish | undefined {
  const { trafficDistribution } = manifest;
  const text = `trafficDistribution ${trafficDistribution}`;
  const field = "spec.trafficDistribution";
  return annotatedWish(manifest) ?? (DISTRIBUTIONS.includes(trafficDistribution) ? { field, text } : undefined);
}
