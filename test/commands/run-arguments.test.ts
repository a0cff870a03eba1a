import t from "tap";
import { readRunArguments } from "../../src/commands/run-arguments.ts";
import { printVersion, reportedVersion } from "../../src/commands/version.ts";

t.test("flags alone, as in kube-proxy's DaemonSet, are for the daemon", async (t) => {
  const asked = readRunArguments(["--config=/var/lib/kube-proxy/config.conf", "--hostname-override=worker-a"]);
  t.match(asked, { kind: "run", manifests: [] });
  t.strictSame(asked.kind === "run" && Object.fromEntries(asked.given), {
    config: ["/var/lib/kube-proxy/config.conf"],
    "hostname-override": ["worker-a"],
  });
});

t.test("flags of ours may be given too, and the word run", async (t) => {
  const asked = readRunArguments(["run", "--manifests", "a", "--node_facts=f", "--manifests=b", ""]);
  t.match(asked, { kind: "run", manifests: ["a", "b"], nodeFacts: "f" });
});

const VERSIONS: readonly [args: readonly string[], text: RegExp | undefined][] = [
  [["--version"], /^fairlead v\d+\.\d+\.\d+$/],
  [["--version=true", "word"], /^fairlead v/],
  [["--proxy-mode=nonsense", "--version"], /^fairlead v/],
  [
    ["--version=raw"],
    /^version\.Info\{Major:"\d+", Minor:"\d+", GitVersion:"v.*", NodeVersion:"v.*", Platform:"linux\/\w+"\}$/,
  ],
  [["--version=false"], undefined],
  [["--version=v1.36.0-ours"], undefined],
];

for (const [args, text] of VERSIONS) {
  t.test(`version: ${args.join(" ")}`, async (t) => {
    t.match(readRunArguments(args), text ? { kind: "version", text } : { kind: "run" });
  });
}

t.test("the daemon reports the version that it is told to", async (t) => {
  t.equal(reportedVersion(new Map([["version", ["v1.36.0-ours"]]])), "v1.36.0-ours");
  t.equal(`fairlead ${reportedVersion(new Map())}`, printVersion());
});

t.test("help", async (t) => {
  for (const args of [["-h"], ["--help"], ["run", "--help", "word"], ["--cleanup", "--help=true"]])
    t.strictSame(readRunArguments(args), { kind: "help" }, args.join(" "));
  t.match(readRunArguments(["--help=false"]), { kind: "run" });
});

const REFUSED: readonly [args: readonly string[], about: "flags" | "arguments", message: string][] = [
  [["--foo"], "flags", "unknown flag: --foo"],
  [["--foo_bar=1", "word"], "flags", "unknown flag: --foo_bar"],
  [["--cleanup-ipvs"], "flags", "unknown flag: --cleanup-ipvs"],
  [["-x"], "flags", "unknown shorthand flag: 'x' in -x"],
  [["--=x"], "flags", "bad flag syntax: --=x"],
  [["--proxy-mode"], "flags", "flag needs an argument: --proxy-mode"],
  [
    ["--oom-score-adj=x"],
    "flags",
    'invalid argument "x" for "--oom-score-adj" flag: strconv.ParseInt: parsing "x": invalid syntax',
  ],
  [["--manifests"], "flags", "flag needs an argument: --manifests"],
  [["word"], "arguments", '"kube-proxy" does not take any arguments, got ["word"]'],
  [["run", "a", "--cleanup", "b"], "arguments", '"kube-proxy" does not take any arguments, got ["a" "b"]'],
  [["--cleanup", "--", "--foo"], "arguments", '"kube-proxy" does not take any arguments, got ["--foo"]'],
  [["-"], "arguments", '"kube-proxy" does not take any arguments, got ["-"]'],
];

for (const [args, about, message] of REFUSED) {
  t.test(`refused: ${args.join(" ")}`, async (t) => {
    t.throws(() => readRunArguments(args), { name: "UsageError", about, message });
  });
}

/** Everything of former releases that is gone. */
const GONE =
  "proxy-port-range udp-timeout cleanup-ipvs conntrack-max resource-container logtostderr log-dir alsologtostderr";

t.test("flags that are gone are unknown", async (t) => {
  for (const flag of GONE.split(" "))
    t.throws(() => readRunArguments([`--${flag}=1`]), { message: `unknown flag: --${flag}` });
});
