// What does the API server get to see of an event?

/** Something that a person who looks at the Node or the Service should know. */
export interface NewEvent {
  readonly type: "Normal" | "Warning";
  /** One word, for machines: why. */
  readonly reason: string;
  /** One word, for machines: what was being done. */
  readonly action: string;
  /** For people; may be empty, and is cut after 1024 bytes. */
  readonly note: string;
  /** What it is about; absent: this Node. */
  readonly service?: { readonly namespace: string; readonly name: string };
}

/** Who speaks. */
export interface Reporter {
  readonly nodeName: string;
  /** The operating system's name for this machine. */
  readonly hostname: string;
}

export interface EventSeries {
  readonly count: number;
  readonly lastObservedTime: string;
}

/** An Event of events.k8s.io/v1. */
export interface EventObject {
  readonly apiVersion: "events.k8s.io/v1";
  readonly kind: "Event";
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly eventTime: string;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly type: NewEvent["type"];
  readonly reason: string;
  readonly action: string;
  readonly note?: string;
  readonly regarding: {
    readonly apiVersion: "v1";
    readonly kind: "Node" | "Service";
    readonly namespace?: string;
    readonly name: string;
  };
  readonly series?: EventSeries;
}

/** kube-proxy's own name, so that whoever filters by it finds these events. */
const CONTROLLER = "kube-proxy";

/** The API's limits: of a name and of a reporting instance in characters, of a note in bytes. */
const LONGEST_NAME = 253;
const LONGEST_INSTANCE = 128;
const LONGEST_NOTE = 1024;

/** Events of Nodes live in namespace `default`, as Nodes have none; those of Services beside them. */
export function eventObject(event: NewEvent, reporter: Reporter, nanoseconds: bigint): EventObject {
  const { type, reason, action, service } = event;
  const regarding = service
    ? ({ apiVersion: "v1", kind: "Service", namespace: service.namespace, name: service.name } as const)
    : ({ apiVersion: "v1", kind: "Node", name: reporter.nodeName } as const);
  const note = cut(event.note);
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { namespace: service?.namespace ?? "default", name: eventName(regarding.name, nanoseconds) },
    eventTime: printMicroTime(nanoseconds),
    reportingController: CONTROLLER,
    reportingInstance: `${CONTROLLER}-${reporter.hostname}`.slice(0, LONGEST_INSTANCE),
    type,
    reason,
    action,
    ...(note !== "" && { note }),
    regarding,
  };
}

/** What two events share when the second is a repetition of the first; the note may differ. */
export function eventKey({ type, reason, action, service }: NewEvent): string {
  return [type, reason, action, service?.namespace, service?.name].join("/");
}

/** Nanoseconds since 1970 as Kubernetes' MicroTime: always six decimals. */
export function printMicroTime(nanoseconds: bigint): string {
  const milliseconds = new Date(Number(nanoseconds / 1_000_000n)).toISOString().slice(0, -1);
  return `${milliseconds}${String((nanoseconds / 1000n) % 1000n).padStart(3, "0")}Z`;
}

/** `<object>.<hex nanoseconds>`; an object with a long name gives up its end. */
function eventName(object: string, nanoseconds: bigint): string {
  const ending = `.${nanoseconds.toString(16)}`;
  return object.slice(0, LONGEST_NAME - ending.length).replace(/[-.]+$/, "") + ending;
}

/** At most as many bytes as a note may have, of whole characters. */
function cut(note: string): string {
  const bytes = new TextEncoder().encodeInto(note, new Uint8Array(LONGEST_NOTE));
  return note.slice(0, bytes.read);
}
