// The Events of type Warning that the servers and observers of the daemon emit.

/** An Event of type Warning. Reasons and actions are kube-proxy's but for `ServiceQuarantined`. */
export interface Warning {
  readonly reason:
    | "FailedToStartProxierHealthcheck"
    | "FailedToStartMetricServer"
    | "FailedToStartServiceHealthcheck"
    | "ServiceQuarantined";
  readonly action: "StartKubeProxy" | "Listen" | "SyncProxyRules";
  /** The Service it is about; the Node where absent. */
  readonly service?: { readonly namespace: string; readonly name: string };
  readonly note: string;
}
