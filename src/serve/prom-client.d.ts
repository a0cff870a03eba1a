// Which parts of prom-client are loaded, and what are their types? The package as a whole also loads OpenTelemetry, an
// aggregator for clusters of processes and a push client: 1 MB resident in a daemon that has loaded its other packages,
// and nothing here uses them.

declare module "prom-client/lib/registry.js" {
  import { Registry } from "prom-client";
  export default Registry;
}

declare module "prom-client/lib/counter.js" {
  import { Counter } from "prom-client";
  export default Counter;
}

declare module "prom-client/lib/gauge.js" {
  import { Gauge } from "prom-client";
  export default Gauge;
}

declare module "prom-client/lib/histogram.js" {
  import { Histogram } from "prom-client";
  export default Histogram;
}

// Each registers the metrics that it is named after; they are read when the registry is.

declare module "prom-client/lib/metrics/processStartTime.js" {
  import type { Registry } from "prom-client";
  export default function register(registry: Registry): void;
}

declare module "prom-client/lib/metrics/osMemoryHeapLinux.js" {
  import type { Registry } from "prom-client";
  export default function register(registry: Registry): void;
}

declare module "prom-client/lib/metrics/processOpenFileDescriptors.js" {
  import type { Registry } from "prom-client";
  export default function register(registry: Registry): void;
}

declare module "prom-client/lib/metrics/processMaxFileDescriptors.js" {
  import type { Registry } from "prom-client";
  export default function register(registry: Registry): void;
}

declare module "prom-client/lib/metrics/heapSizeAndUsed.js" {
  import type { Registry } from "prom-client";
  export default function register(registry: Registry): void;
}

declare module "prom-client/lib/metrics/version.js" {
  import type { Registry } from "prom-client";
  export default function register(registry: Registry): void;
}
