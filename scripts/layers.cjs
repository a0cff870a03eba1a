// Who may import whom? The walls of the house, as rules for dependency-cruiser; a ring of imports breaks one as well.

/** @typedef {{ src?: string[], packages?: string[], system?: string[] }} Allowed */

const BOTTOM = ["net", "errors", "nearest", "paged-list", "digit-tree"];
const MIDDLE = ["api", "options", "state", "model", "plan", "trace", "backends", "draw", "lint", ...BOTTOM];

/**
 * Each folder (or file) of `src`, with what it may import beside itself. Whatever is not listed is forbidden.
 * @type {Record<string, Allowed>}
 */
const LAYERS = {
  errors: {},
  nearest: {},
  "paged-list": {},
  "digit-tree": {},
  net: { src: ["errors"], packages: ["ipaddr.js"] },
  api: { src: BOTTOM, packages: ["zod"] },
  options: { src: BOTTOM, packages: ["zod", "yaml"] },
  state: { src: BOTTOM },
  model: { src: ["api", "options", "state/node-facts", ...BOTTOM] },
  plan: { src: ["state", ...BOTTOM] },
  trace: { src: ["state", ...BOTTOM] },
  // A chain's name is a digest, which needs no machine.
  backends: { src: ["model", "options", "state", ...BOTTOM], system: ["crypto"] },
  draw: { src: ["state", "trace", "model"] },
  lint: { src: ["api", "model", "options", ...BOTTOM] },
  source: {
    src: ["api", ...BOTTOM],
    packages: ["yaml", "js-yaml", "zod", "execa"],
    system: ["crypto", "fs", "http", "http2", "net", "tls"],
  },
  // Of crypto a digest, again.
  kernel: {
    src: ["state", "plan", ...BOTTOM],
    packages: ["execa", "netlink"],
    system: ["crypto", "fs", "os", "timers"],
  },
  sync: { src: [...MIDDLE, "source", "kernel"], packages: ["pino"] },
  serve: { src: ["sync", "options", ...BOTTOM], packages: ["prom-client"], system: ["fs", "http", "inspector"] },
  commands: { src: [...MIDDLE, "source", "kernel", "sync", "serve"], system: ["fs", "os"] },
  cli: { src: ["commands", "options"], packages: ["yargs"] },
  main: { src: ["cli", "commands", "options"] },
};

/** Modules of Node that touch nothing by themselves: for the folders that may touch the system anyway. */
const PLUMBING = ["events", "path", "stream", "url", "util"];

const PURE = [
  "errors",
  "nearest",
  "paged-list",
  "digit-tree",
  "net",
  "api",
  "options",
  "state",
  "model",
  "plan",
  "trace",
  "backends",
  "draw",
  "lint",
];

/** @param {string[]} names of folders or files below `src`, without extension */
function sources(names) {
  return names.map((name) => `^src/${name}(/|\\.ts$)`);
}

/** @param {[string, Allowed]} layer */
function wall([layer, { src = [], packages = [], system = [] }]) {
  const modules = PURE.includes(layer) ? system : [...system, ...PLUMBING];
  return {
    name: `${layer}-stays-below`,
    severity: "error",
    from: { path: sources([layer]) },
    to: {
      pathNot: [
        ...sources([layer, ...src]),
        ...packages.map((name) => `^node_modules/(@types/)?${name}/`),
        ...modules.map((name) => `^(node:)?${name}(/|$)`),
      ],
    },
  };
}

module.exports = {
  forbidden: [
    ...Object.entries(LAYERS).map(wall),
    {
      name: "sync-knows-kernel-and-source-by-type",
      severity: "error",
      from: { path: "^src/sync/" },
      to: { path: "^src/(kernel|source)/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "every-file-has-a-layer",
      severity: "error",
      from: { path: "^src/", pathNot: sources(Object.keys(LAYERS)) },
      to: {},
    },
    { name: "no-ring", severity: "error", from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    // Types are gone when the program runs, yet a ring of types is a ring for the reader.
    tsPreCompilationDeps: true,
  },
};
