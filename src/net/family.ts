// Which IP families are there? Spelled as Kubernetes spells them in objects, labels and metrics.

export type Family = "IPv4" | "IPv6";

/** Both families, in the order every loop and every output uses. */
export const FAMILIES: readonly Family[] = ["IPv4", "IPv6"];
