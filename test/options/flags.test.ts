// Tests reading command line flags like Go's flag library.
import t from "tap";
import { DEFAULTS, modeSettingsOf } from "../../src/options/defaults.ts";
import {
  checkFlags,
  configOfFlags,
  deprecationNotices,
  type GivenFlags,
  withLoggingFlags,
} from "../../src/options/flags.ts";
import type { Texts } from "../../src/options/value-type.ts";

function given(flags: Readonly<Record<string, Texts>>): GivenFlags {
  return new Map(Object.entries(flags));
}

t.test("lists accumulate over repeats and split on commas", async (t) => {
  const config = configOfFlags(given({ "nodeport-addresses": ["10.0.0.0/8,fd00::/8", "", "127.0.0.0/8"] }));
  t.strictSame(config.nodePortAddresses, ["10.0.0.0/8", "fd00::/8", "127.0.0.0/8"]);
  t.strictSame(configOfFlags(given({ "ipvs-exclude-cidrs": [""] }))["ipvs.excludeCIDRs"], []);
});

t.test("feature gates and module levels accumulate too", async (t) => {
  const config = configOfFlags(given({ "feature-gates": ["A=true, B = f,", "A=0"], vmodule: ["a=1,", "b*=2,c=3"] }));
  t.strictSame(config.featureGates, { A: false, B: false });
  t.strictSame(config["logging.vmodule"], [
    { filePattern: "a", verbosity: 1 },
    { filePattern: "b*", verbosity: 2 },
    { filePattern: "c", verbosity: 3 },
  ]);
});

t.test("of a repeated scalar the last one wins", async (t) => {
  t.equal(configOfFlags(given({ "proxy-mode": ["ipvs", "iptables"] })).mode, "iptables");
  t.equal(configOfFlags(given({ "cluster-cidr": ["10.0.0.0/8", "fd00::/8"] })).clusterCIDR, "fd00::/8");
});

t.test("an empty address does nothing", async (t) => {
  const config = configOfFlags(
    given({ "bind-address": [""], "metrics-bind-address": [""], "healthz-bind-address": ["1.2.3.4", ""] }),
  );
  t.equal(config.bindAddress, "0.0.0.0");
  t.equal(config.metricsBindAddress, "127.0.0.1:10249");
  t.equal(config.healthzBindAddress, "1.2.3.4");
});

t.test("the servers' addresses do not follow --bind-address", async (t) => {
  const config = configOfFlags(given({ "bind-address": ["::"] }));
  t.equal(config.healthzBindAddress, "0.0.0.0:10256");
});

const periods: readonly [string, Readonly<Record<string, Texts>>, bigint, bigint][] = [
  ["nothing given", {}, 30n, 1n],
  ["ipvs mode keeps the least gap of iptables", { "proxy-mode": ["ipvs"] }, 30n, 1n],
  [
    "ipvs mode by its own flags",
    { "ipvs-sync-period": ["20s"], "ipvs-min-sync-period": ["3s"], "proxy-mode": ["ipvs"] },
    20n,
    3n,
  ],
  [
    "ipvs mode, flags of iptables",
    { "proxy-mode": ["ipvs"], "iptables-sync-period": ["20s"], "iptables-min-sync-period": ["3s"] },
    30n,
    1n,
  ],
  [
    "iptables mode, flags of ipvs",
    { "proxy-mode": ["iptables"], "ipvs-sync-period": ["20s"], "ipvs-min-sync-period": ["3s"] },
    30n,
    1n,
  ],
  [
    "nftables mode goes by the flags of iptables",
    { "proxy-mode": ["nftables"], "iptables-sync-period": ["20s"], "iptables-min-sync-period": ["3s"] },
    20n,
    3n,
  ],
  ["a true zero", { "iptables-min-sync-period": ["0"] }, 30n, 0n],
];

for (const [name, flags, sync, least] of periods) {
  t.test(`sync periods: ${name}`, async (t) => {
    const { syncPeriod, minSyncPeriod } = modeSettingsOf(configOfFlags(given(flags)));
    t.strictSame([syncPeriod, minSyncPeriod], [sync * 1_000_000_000n, least * 1_000_000_000n]);
  });
}

for (const mode of ["", "iptables", "ipvs", "nftables"]) {
  t.test(`--masquerade-all holds in mode "${mode}"`, async (t) => {
    const config = configOfFlags(given({ "proxy-mode": [mode], "masquerade-all": ["true"] }));
    t.equal(modeSettingsOf(config).masqueradeAll, true);
    t.equal(config["nftables.masqueradeAll"], mode === "nftables");
  });
}

/** Flag, text, what is said behind `invalid argument "TEXT" for "--FLAG" flag: `. */
const refused: readonly [string, string, string][] = [
  ["bind-address", "x", '"x" is not a valid IP address'],
  ["bind-address", "[::]", '"[::]" is not a valid IP address'],
  ["healthz-bind-address", "x", '"x" is not in a valid format (ip or ip:port): address x: missing port in address'],
  ["healthz-bind-address", "x:80", '"x" is not a valid IP address'],
  ["healthz-bind-address", ":80", '"" is not a valid IP address'],
  ["metrics-bind-address", "1.2.3.4:65536", '"65536" is not a valid number'],
  ["metrics-bind-address", "1.2.3.4:", '"" is not a valid number'],
  ["metrics-bind-address", "1.2.3.4:-1", '"-1" is not a valid number'],
  ["oom-score-adj", "x", 'strconv.ParseInt: parsing "x": invalid syntax'],
  ["oom-score-adj", "1.5", 'strconv.ParseInt: parsing "1.5": invalid syntax'],
  ["conntrack-min", "2147483648", 'strconv.ParseInt: parsing "2147483648": value out of range'],
  ["conntrack-min", "-2147483649", 'strconv.ParseInt: parsing "-2147483649": value out of range'],
  ["kube-api-qps", "fast", 'strconv.ParseFloat: parsing "fast": invalid syntax'],
  ["profiling", "yes", 'strconv.ParseBool: parsing "yes": invalid syntax'],
  ["cleanup", "", 'strconv.ParseBool: parsing "": invalid syntax'],
  ["config-sync-period", "5", 'time: missing unit in duration "5"'],
  ["ipvs-min-sync-period", "x", 'time: invalid duration "x"'],
  ["feature-gates", "A", "malformed pair, expect string=bool"],
  ["feature-gates", "A=x", 'invalid value of A: x, err: strconv.ParseBool: parsing "x": invalid syntax'],
  ["vmodule", "a", '"a" does not have the pattern=N format'],
  ["vmodule", "a=b=1", '"a=b=1" does not have the pattern=N format'],
  ["vmodule", "a=-1", 'parsing verbosity in "a=-1": strconv.ParseUint: parsing "-1": invalid syntax'],
];

for (const [flag, text, reason] of refused) {
  t.test(`--${flag}=${text} is refused`, async (t) => {
    const message = `invalid argument "${text}" for "--${flag}" flag: ${reason}`;
    t.throws(() => checkFlags(given({ [flag]: [text] })), { name: "InputError", message });
  });
}

t.test("the text that cannot be read is named, not a later one", async (t) => {
  const message = 'invalid argument "-1" for "-v, --v" flag: strconv.ParseUint: parsing "-1": invalid syntax';
  t.throws(() => checkFlags(given({ v: ["-1", "2"] })), { message });
  const range =
    'invalid argument "2147483648" for "-v, --v" flag: strconv.ParseUint: parsing "2147483648": value out of range';
  t.throws(() => checkFlags(given({ v: ["2147483648"] })), { message: range });
});

const accepted: readonly [string, string, number][] = [
  ["decimal", "20", 20],
  ["with a sign", "+20", 20],
  ["negative", "-20", -20],
  ["zero below zero", "-0", 0],
  ["hexadecimal", "0x1F", 31],
  ["octal", "017", 15],
  ["octal with its letter", "0o17", 15],
  ["binary", "0b101", 5],
];

for (const [name, text, value] of accepted) {
  t.test(`a whole number may be ${name}`, async (t) => {
    t.equal(configOfFlags(given({ "conntrack-min": [text] }))["conntrack.min"], value);
  });
}

t.test("logging flags that were given go before a file", async (t) => {
  const file = {
    ...DEFAULTS,
    mode: "ipvs",
    "logging.verbosity": 2,
    "logging.format": "json",
    "logging.vmodule": [{ filePattern: "file", verbosity: 1 }],
  };
  const merged = withLoggingFlags(file, given({ v: ["5"], vmodule: ["flag=7"], "proxy-mode": ["iptables"] }));
  t.strictSame(merged, {
    ...file,
    "logging.verbosity": 5,
    "logging.vmodule": [
      { filePattern: "flag", verbosity: 7 },
      { filePattern: "file", verbosity: 1 },
    ],
  });
  t.strictSame(withLoggingFlags(file, given({})), file);
});

t.test("deprecated flags are told when they are used", async (t) => {
  t.strictSame(deprecationNotices(given({ "healthz-port": ["1"], "metrics-port": ["1"], v: ["1"] })), [
    "Flag --healthz-port has been deprecated, use --healthz-bind-address instead",
    "Flag --metrics-port has been deprecated, use --metrics-bind-address instead",
  ]);
  t.strictSame(deprecationNotices(given({ v: ["1"] })), []);
});
