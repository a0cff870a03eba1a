// The grammars of names in Kubernetes objects.

/** Which texts a field may have. */
export interface Grammar {
  /** Behind "must be". */
  readonly what: string;
  readonly fits: (text: string) => boolean;
}

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL_VALUE = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

export function isLabel(text: string): boolean {
  return LABEL.test(text);
}

export function isSubdomain(text: string): boolean {
  return text.length <= 253 && SUBDOMAIN.test(text);
}

/** RFC 1123 label, at most 63 characters: namespaces, Services, port names. */
export const DNS_LABEL: Grammar = { what: "a DNS label", fits: isLabel };

/** RFC 1123 subdomain, at most 253 characters: Nodes, Pods, EndpointSlices. */
export const DNS_SUBDOMAIN: Grammar = { what: "a DNS subdomain", fits: isSubdomain };

/** What a label may hold, the empty text too: zones. */
export const LABEL_TEXT: Grammar = { what: "a label value", fits: (text) => text === "" || LABEL_VALUE.test(text) };
