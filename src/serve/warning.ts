// What do we want told to whoever watches the cluster's Events?

/** An Event of type Warning, in kube-proxy's words for reason and action. */
export interface Warning {
  readonly reason: "FailedToStartProxierHealthcheck" | "FailedToStartMetricServer" | "FailedToStartServiceHealthcheck";
  readonly action: "StartKubeProxy" | "Listen";
  /** The Service it is about; the Node where absent. */
  readonly service?: { readonly namespace: string; readonly name: string };
  readonly note: string;
}
