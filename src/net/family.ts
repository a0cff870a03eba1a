// Defines IP families, spelled as in Kubernetes objects, labels and metrics.

export type Family = "IPv4" | "IPv6";

/** Both families, in the order of every loop and output. */
export const FAMILIES: readonly Family[] = ["IPv4", "IPv6"];
