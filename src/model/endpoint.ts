/** One `ip:port` behind a ServicePort, merged over all EndpointSlices of its Service. */
export interface Endpoint {
  /** Canonical address. */
  readonly ip: string;
  readonly port: number;
  /** `ip:port`, or `[ip]:port`: identity and sort key (bytewise). */
  readonly text: string;
  readonly local: boolean;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly zoneHints: readonly string[];
  readonly nodeHints: readonly string[];
}
