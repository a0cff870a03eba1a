// Tests validation of the logging section.
import t from "tap";
import { DEFAULTS } from "../../src/options/defaults.ts";
import type { Config } from "../../src/options/table.ts";
import { validateLogging } from "../../src/options/validate.ts";

const ALPHA = { featureGates: { LoggingAlphaOptions: true } };
const DISABLED = "Forbidden: Feature LoggingAlphaOptions is disabled";

const cases: readonly [string, Partial<Config>, ...string[]][] = [
  ["the defaults", {}],
  ["the JSON format", { "logging.format": "json" }],
  [
    "a flush frequency of zero",
    { "logging.flushFrequency": 0n },
    'flushFrequency: Invalid value: "0s": Must be greater than zero',
  ],
  ["another format", { "logging.format": "xml" }, 'format: Invalid value: "xml": Unsupported log format'],
  ["the highest level", { "logging.verbosity": 2147483647 }],
  [
    "a level too high",
    { "logging.verbosity": 2147483648 },
    "verbosity: Invalid value: 2147483648: Must be <= 2147483647",
  ],
  [
    "module levels in JSON",
    { "logging.format": "json", "logging.vmodule": [{ filePattern: "a", verbosity: 1 }] },
    "vmodule: Forbidden: Only supported for text log format",
  ],
  [
    "bad module levels",
    {
      "logging.vmodule": [
        { filePattern: "", verbosity: 1 },
        { filePattern: "a=b", verbosity: 1 },
        { filePattern: "a,b", verbosity: 1 },
        { filePattern: "a", verbosity: 2147483648 },
      ],
    },
    "vmodule[0]: Required value: File pattern must not be empty",
    'vmodule[1]: Invalid value: "a=b": File pattern must not contain equal sign or comma',
    'vmodule[2]: Invalid value: "a,b": File pattern must not contain equal sign or comma',
    "vmodule[3]: Invalid value: 2147483648: Must be <= 2147483647",
  ],
  [
    "options of a gate that is off",
    {
      "logging.options.text.splitStream": true,
      "logging.options.text.infoBufferSize": "1Mi",
      "logging.options.json.splitStream": true,
      "logging.options.json.infoBufferSize": "1k",
    },
    `options.text.splitStream: ${DISABLED}`,
    `options.text.infoBufferSize: ${DISABLED}`,
    `options.json.splitStream: ${DISABLED}`,
    `options.json.infoBufferSize: ${DISABLED}`,
  ],
  ["options of a gate that is on", { ...ALPHA, "logging.options.json.splitStream": true }],
];

for (const [name, change, ...problems] of cases) {
  t.test(`logging: ${name}`, async (t) => {
    for (const root of ["logging", "KubeProxyConfiguration.logging"]) {
      t.strictSame(
        validateLogging({ ...DEFAULTS, ...change }, root),
        problems.map((problem) => `${root}.${problem}`),
      );
    }
  });
}
