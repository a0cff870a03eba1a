// Defines the namespaced name of a Service, and the order of Services.

/** Identity of a Service, and of its EndpointSlices. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** The order of Services wherever kube-proxy's own order is accidental. */
export function compareServices(a: ServiceName, b: ServiceName): number {
  return compareTexts(a.namespace, b.namespace) || compareTexts(a.name, b.name);
}

/** The order of their bytes, for names are ASCII. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
