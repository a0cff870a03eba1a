// Classifies addresses that the API server rejects in EndpointSlices and external IPs.

// Canonical text, so a prefix of the text tells. The API server keeps the same ranges out of EndpointSlices.
const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/^(0\.0\.0\.0|::)$/, "unspecified"],
  [/^(127\..*|::1)$/, "loopback"],
  [/^(169\.254\.|fe[89ab].:)/, "link-local"],
  [/^(224\.0\.0\.|ff02:)/, "link-local multicast"],
];

/** Why the canonical address cannot be an endpoint's: what sort of address it is. Undefined when it can. */
export function findForbiddenSort(address: string): string | undefined {
  return FORBIDDEN.find(([pattern]) => pattern.test(address))?.[1];
}
