// Which addresses are pods of the demo's cluster? Local traffic is told by them.
export const PODS = "10.244.0.0/16,fd00:244::/56";
