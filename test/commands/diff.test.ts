// Checks what `diff` prints in each format, with golden files, and its exit codes.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { runCommandLine } from "../../src/cli.ts";
import { CollectedOutput } from "../support/collected-output.ts";
import { FIXTURES, matchGolden } from "../support/golden.ts";

const DEMO = [join(FIXTURES, "demo"), "--cluster-cidr", "10.244.0.0/16"];
const IPVS = join(FIXTURES, "clusters/v11-source-ranges-without-node");
const SCALED = join(FIXTURES, "transitions/t01-scale-up");
const MOVED = join(FIXTURES, "clusters/v12-external-ips");
const dump = (name: string) => join(FIXTURES, "diff", name);

interface Case {
  readonly name: string;
  readonly args: readonly string[];
  readonly notes: readonly string[];
  /** The note about another mode or layout; in data it is a field instead. */
  readonly leftover?: RegExp;
}

const ONLY_V4 = "note: the dump has nothing of IPv6; not compared";

const CASES: readonly Case[] = [
  {
    name: "drifted",
    args: [...DEMO, "--from", dump("drifted.dump")],
    notes: [ONLY_V4],
  },
  {
    name: "ipvs",
    args: [join(IPVS, "cluster.yaml"), ...machineOf(IPVS), "--from", dump("ipvs.dump")],
    notes: [ONLY_V4],
  },
  {
    name: "ipvs-to-ipvs",
    args: [join(IPVS, "cluster.yaml"), ...machineOf(IPVS), "--from", join(MOVED, "cluster.yaml")],
    notes: [],
  },
  {
    name: "left-ipvs",
    args: [...DEMO, "--from", dump("left-ipvs.dump")],
    notes: [ONLY_V4],
    leftover:
      /^note: IPv4: mode ipvs is in use: chain filter KUBE-IPVS-FILTER, .*, and 17 more; .* run "fairlead cleanup" and restart kube-proxy$/,
  },
  {
    name: "scale-up",
    args: [join(SCALED, "after.yaml"), "--config", join(SCALED, "config.yaml"), "--from", join(SCALED, "before.yaml")],
    notes: [],
  },
  {
    name: "to-indexed",
    args: [...DEMO, "--iptables-layout", "Indexed", "--from", dump("to-indexed.dump")],
    notes: ["note: the dump has no sets (ipset save); not compared", ONLY_V4],
  },
  {
    name: "from-indexed",
    args: [...DEMO, "--from", dump("from-indexed.dump")],
    notes: [ONLY_V4],
    leftover:
      /^note: IPv4: layout Indexed is in use: chain filter KUBE-IX-NODEPORTS, .*, and 3 more; .* run "fairlead cleanup --layout Indexed"$/,
  },
  {
    name: "fresh",
    args: [...DEMO, "--from", dump("fresh.dump"), "--nfacct"],
    notes: [ONLY_V4],
  },
];

/** What was compared, and what came of it. */
const SUMMARY =
  /^note: \d+ Services? changed: \d+ lines? added, \d+ removed \([12] famil(?:y|ies), \d+ chains? compared\)$/;

const FORMS = { text: "txt", unified: "diff", json: "json", restore: "restore" } as const;

for (const { name, args, notes, leftover } of CASES) {
  t.test(name, async (t) => {
    for (const [format, ending] of Object.entries(FORMS)) {
      const answer = await ask(...args, "-o", format);
      matchGolden(t, join(FIXTURES, "diff", `${name}.${ending}`), answer.text);
      t.equal(answer.code, 1, `${format}: there is something to do`);
      const summary = answer.notes.filter((note) => SUMMARY.test(note));
      t.equal(summary.length, format === "text" ? 0 : 1, `${format}: the summary`);
      const told = answer.notes.filter((note) => !SUMMARY.test(note));
      const kept = told.filter((note) => !note.includes(" stays, empty, because of: "));
      const others = kept.filter((note) => !leftover?.test(note));
      t.strictSame(others, notes, `${format}: notes`);
      t.equal(kept.length - others.length, leftover && format !== "json" ? 1 : 0, `${format}: leftovers`);
      t.equal(told.length - kept.length, name === "drifted" && /unified|restore/.test(format) ? 1 : 0);
    }
  });
}

function machineOf(folder: string): readonly string[] {
  return ["--config", join(folder, "config.yaml"), "--node-facts", join(folder, "node-facts.yaml")];
}

async function ask(...args: readonly string[]) {
  const output = new CollectedOutput();
  const code = await runCommandLine(["diff", ...args], output);
  return { code, text: output.text, notes: output.notes };
}

/** A file with this content, for as long as the test runs. */
function fileOf(t: Test, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "file"), content);
  return join(folder, "file");
}

t.test(
  "what render prints, and the same manifests, do not differ, and the answer says what was compared",
  async (t) => {
    const output = new CollectedOutput();
    await runCommandLine(["render", ...DEMO], output);
    const same = { code: 0, text: "no differences (2 families, 37 chains compared)\n", notes: [] };
    t.strictSame(await ask(...DEMO, "--from", fileOf(t, output.text)), same);
    t.strictSame(await ask(...DEMO, "--from", join(FIXTURES, "demo")), same);
    const { text } = await ask(...DEMO, "--from", join(FIXTURES, "demo"), "-o", "json");
    t.strictSame(JSON.parse(text), {
      apiVersion: "fairlead/v1",
      kind: "Diff",
      compared: { families: 2, chains: 37 },
      complete: true,
      differs: false,
      differences: [],
      kept: [],
      leftovers: [],
    });
  },
);

t.test("one Service alone, or one port of it", async (t) => {
  const args = [...DEMO, "--from", dump("drifted.dump")];
  const { text, code } = await ask(...args, "--service", "demo/web");
  t.equal(code, 1);
  t.strictSame(text.match(/^#.*$/gm), ["# IPv4 Service demo/web"]);
  t.equal((await ask(...args, "--service", "demo/web:http")).text, text);
  const old = await ask(...args, "--service", "demo/old", "-o", "unified");
  t.match(old.text, /^-.* "demo\/old:http cluster IP"/m);
  t.notMatch(old.text, /^[-+][^-+].*demo\/web/m);
  t.match(await ask(...args, "--service", "demo/web:htp"), {
    code: 2,
    text: "",
    notes: [ONLY_V4, 'fairlead: no port "htp" in Service "demo/web"; did you mean "http"?'],
  });
  t.strictSame(await ask(...args, "--service", "demo/we"), {
    code: 2,
    text: "",
    notes: [ONLY_V4, 'fairlead: no Service "demo/we"; did you mean "demo/web"?'],
  });
});

t.test("a missing file is an error that names the flag, and the word that may have been meant", async (t) => {
  t.match(await ask(...DEMO, "--from", "kernal"), {
    code: 2,
    text: "",
    notes: [/^fairlead: --from: kernal: .*; did you mean "kernel"\?$/],
  });
});

t.test("what one tool has to do, fit for a pipe", async (t) => {
  const args = [join(IPVS, "cluster.yaml"), ...machineOf(IPVS), "--from", dump("ipvs.dump"), "-o", "restore"];
  t.equal(
    (await ask(...args, "--section", "ipset")).text,
    `create KUBE-LOAD-BALANCER-LOCAL hash:ip,port family inet hashsize 1024 maxelem 65536
del KUBE-CLUSTER-IP 10.96.1.77,tcp:443
add KUBE-CLUSTER-IP 10.96.1.5,tcp:443
`,
  );
  t.equal((await ask(...args, "--section", "ip6tables")).text, "");
});

t.test("parts that a dump does not have are not compared, and that is told", async (t) => {
  const args = [join(IPVS, "cluster.yaml"), ...machineOf(IPVS), "--ip-family", "ipv4"];
  const text = readFileSync(dump("ipvs.dump"), "utf8");
  const sets = text.split("\n").filter((line) => /^(?:create|add) /.test(line));
  const answer = await ask(...args, "--from", fileOf(t, sets.join("\n")));
  t.strictSame(answer.notes, [
    "note: the dump has no rules (iptables-save); not compared",
    "note: the dump has no virtual servers (ipvsadm -Sn); not compared",
  ]);
  t.notMatch(answer.text, /^(?:ipvs|nat|filter|addresses) /m);
  t.match(answer.text, /^ipset KUBE-CLUSTER-IP$/m);
  const rules = await ask(...DEMO, "--from", dump("drifted.dump"), "--ip-family", "ipv4");
  t.strictSame(rules.notes, [], "in iptables mode there is nothing else");
});

t.test("what cannot be read is told in one line, with 2", async (t) => {
  const cases: readonly [string, readonly string[], RegExp][] = [
    [
      "no such file",
      ["--from", "/nowhere"],
      /^fairlead: --from: \/nowhere: cannot be read: no such file or directory$/,
    ],
    ["an empty file", ["--from", fileOf(t, " \n")], /file: is empty: neither a dump nor a manifest$/],
    [
      "a dump with a fault",
      ["--from", fileOf(t, "*nat\nCOMMIT\nx\n")],
      /file: line 3: not a line of iptables-save, .*: x$/,
    ],
    ["a manifest that is none", ["--from", fileOf(t, "kind: {")], /file: document 1: invalid YAML: line 1, column 8/],
    ["standard input twice", ["-", "--from", "-"], /standard input \(-\) can be read only once/],
    ["a part of another form", ["--section", "ipset"], /--section requires -o restore/],
    ["a Service to restore", ["--service", "a/b", "-o", "restore"], /--service and -o restore are mutually exclusive/],
    ["an unknown format", ["-o", "xml"], /--output is "xml"; supported: "text"/],
  ];
  for (const [name, args, message] of cases) {
    const { code, notes } = await ask(...DEMO, ...args);
    t.equal(code, 2, name);
    t.match(notes.join("\n"), message, name);
  }
});

t.test("standard input is a dump or manifests, as its content tells", async (t) => {
  const args = ["--import=tsx", "src/main.ts", "diff", ...DEMO, "--ip-family", "ipv4", "--from", "-"];
  const say = (input: string) => spawnSync(process.execPath, args, { input, encoding: "utf8" });
  t.match(say("kind: Service"), { status: 2, stderr: /^error: -: document 1: apiVersion: is missing$/m });
  const manifests = readFileSync(join(FIXTURES, "demo/web.yaml"), "utf8");
  t.match(say(manifests), { status: 1, stdout: /^# IPv4 Service demo\/dns$/m });
  t.match(say("*nat\nCOMMIT\n*filter\nCOMMIT\n"), { status: 1, stdout: /^nat KUBE-SERVICES \(new\)$/m });
});

t.test("a table that the dump does not show is named and not compared, and the answer is never fine", async (t) => {
  const dumps: readonly [string, string][] = [
    ["*nat\nCOMMIT\n", "unknown: no filter table in the dump (IPv4); not compared"],
    [
      "*nat\nCOMMIT\n*filter\n:INPUT ACCEPT [0:0]\n",
      "unknown: the filter table in the dump is truncated (no COMMIT) (IPv4); not compared",
    ],
    [
      "*nat\n:INPUT ACCEPT [0:0]\n",
      "unknown: line 1: the nat table in the dump is truncated (no COMMIT); not compared",
    ],
  ];
  for (const [text, note] of dumps) {
    const { code, notes, text: told } = await ask(...DEMO, "--ip-family", "ipv4", "--from", fileOf(t, text));
    t.equal(code, 2, note);
    t.ok(notes.includes(note), note);
    t.notMatch(told, /^filter /m, note);
  }
});

t.test("bad objects on this side are told and make the answer unsure", async (t) => {
  const bad = fileOf(t, "apiVersion: v1\nkind: Service\nmetadata: {name: Bad_Name}\n");
  const { code, notes } = await ask(...DEMO, bad, "--from", join(FIXTURES, "demo"));
  t.equal(code, 2);
  t.match(notes.join("\n"), /^error: .*document 1: .*metadata\.name/m);
});

const [BEFORE, AFTER] = ["before", "after"].map((name) => join(SCALED, `${name}.yaml`)) as [string, string];
const SCALED_CONFIG = ["--config", join(SCALED, "config.yaml")];

/**
 * Lines only in the old state, and only in the new one. Not those of KUBE-FIREWALL: kubelet has it too, so it is added
 * where it is missing and never removed.
 */
function signs(text: string): readonly (readonly string[])[] {
  return ["- ", "+ "].map((sign) =>
    text
      .split("\n")
      .filter((line) => line.startsWith(sign) && !line.includes("KUBE-FIREWALL"))
      .map(bare)
      .sort(),
  );
}

function bare(line: string): string {
  return line.slice(2);
}

t.test("--from is the old and --to the new state: - is only in the old one, + only in the new one", async (t) => {
  const golden = readFileSync(join(FIXTURES, "diff/scale-up.txt"), "utf8");
  const forth = await ask("--from", BEFORE, "--to", AFTER, ...SCALED_CONFIG);
  t.strictSame([forth.code, forth.text], [1, golden]);
  const old = await ask(AFTER, "--against", BEFORE, ...SCALED_CONFIG);
  t.equal(old.text, golden, "the former name of --from");
  const back = await ask("--from", AFTER, "--to", BEFORE, ...SCALED_CONFIG);
  t.strictSame(signs(back.text), signs(forth.text).toReversed());
});

t.test("a dump as the new state: the same lines the other way round", async (t) => {
  for (const name of ["drifted", "fresh"]) {
    const forth = await ask(...DEMO, "--from", dump(`${name}.dump`));
    const back = await ask("--from", ...DEMO, "--to", dump(`${name}.dump`));
    t.equal(back.code, 1, name);
    t.strictSame(signs(back.text), signs(forth.text).toReversed(), name);
  }
  t.match(await ask("--from", ...DEMO, "--to", dump("fresh.dump"), "-o", "restore"), {
    code: 2,
    notes: [ONLY_V4, /-o restore needs manifests or live as --to/],
  });
});

t.test("two dumps are compared with each other, in what node proxies own", async (t) => {
  const same = await ask("--from", dump("drifted.dump"), "--to", dump("drifted.dump"));
  t.match(same, { code: 0, text: /^no differences \(1 family, \d+ chains compared\)\n$/ });
  const forth = await ask("--from", dump("fresh.dump"), "--to", dump("drifted.dump"));
  t.equal(forth.code, 1);
  t.match(forth.text, /^# IPv4 Service demo\/web$/m);
  t.match(forth.text, /^nat KUBE-SERVICES \(new\)$/m);
  t.notMatch(forth.text, /^- /m, "a fresh node loses nothing");
  t.notMatch(forth.text, /^\S+ (?!KUBE-|PREROUTING|INPUT|OUTPUT|FORWARD|POSTROUTING)\S+ \(new\)$/m);
  const one = await ask("--from", dump("fresh.dump"), "--to", dump("drifted.dump"), "--service", "demo/wbe");
  t.match(one.notes.at(-1), /no Service "demo\/wbe"; did you mean "demo\/web"\?/);
  const ipvs = await ask("--from", dump("fresh.dump"), "--to", dump("ipvs.dump"), "--proxy-mode", "ipvs");
  t.notMatch(ipvs.text, /^ipvs /m, "a dump without virtual servers tells nothing of them");
  const left = await ask("--from", dump("ipvs.dump"), "--to", dump("left-ipvs.dump"), "--proxy-mode", "ipvs");
  t.match(left.text, /^ipset KUBE-\S+/m);
  t.match(left.text, /^ipvs \S+ \(gone\)$/m);
});

t.test("two dumps with sets, virtual servers, addresses and settings", async (t) => {
  const rendered = async (folder: string) => {
    const output = new CollectedOutput();
    await runCommandLine(["render", join(folder, "cluster.yaml"), ...machineOf(folder)], output);
    return fileOf(t, output.text);
  };
  const [from, to] = [await rendered(IPVS), await rendered(MOVED)];
  const args = ["--from", from, "--to", to, "--proxy-mode", "ipvs"];
  const { code, text } = await ask(...args);
  t.equal(code, 1);
  for (const place of ["ipset KUBE-CLUSTER-IP", "addresses kube-ipvs0"]) t.match(text, new RegExp(`^${place}$`, "m"));
  t.match(text, /^ipvs \S+ \(gone\)$/m);
  t.match(text, /^ipvs \S+ \(new\)$/m);
  t.match(await ask("--from", from, "--to", from, "--proxy-mode", "ipvs"), { code: 0 });
  const settings = readFileSync(from, "utf8").replace("vs.conntrack = 1", "vs.conntrack = 0");
  t.match((await ask("--from", from, "--to", fileOf(t, settings), "--proxy-mode", "ipvs")).text, /^sysctl$/m);
});

t.test("sides that cannot be compared are refused", async (t) => {
  const v6 = fileOf(t, "# Generated by ip6tables-save v1.8.9\n*nat\nCOMMIT\n*filter\nCOMMIT\n");
  const cases: readonly [readonly string[], RegExp][] = [
    [["--from", "kernel", "--to", "kernel"], /--from and --to are both kernel/],
    [[BEFORE, "--to", AFTER], /--to and file arguments are mutually exclusive/],
    [["--from", "live", AFTER], /live needs --kubeconfig FILE or --in-cluster/],
    [["--from", "live"], /no input: pass a file, or --to/],
    [["--from", "kernl", "--to", AFTER], /--from: kernl: cannot be read: .*; did you mean "kernel"\?/],
    [["--from", dump("fresh.dump"), "--to", v6], /nothing to compare: the two sides have no IP family in common/],
    [["--from", fileOf(t, "create A hash:ip family inet\n"), "--to", AFTER], /nothing to compare: no rules/],
    [["--from", AFTER, "--against", BEFORE], /--from and --against are mutually exclusive|mutually exclusive/],
  ];
  for (const [args, message] of cases) {
    const { code, notes, text } = await ask(...args);
    t.equal(code, 2, args.join(" "));
    t.match(notes.at(-1), message, args.join(" "));
    t.equal(text, "");
  }
});

t.test("restore text is only printed if all input could be read, or with --keep-going", async (t) => {
  const partial = fileOf(t, "*nat\nCOMMIT\n");
  const args = [...DEMO, "--ip-family", "ipv4", "-o", "restore"];
  for (const more of [
    ["--from", partial],
    ["--from", dump("fresh.dump"), "/nowhere.yaml"],
  ]) {
    const { code, text, notes } = await ask(...args, ...more);
    t.strictSame([code, text], [2, ""]);
    t.match(notes.at(-1), /nothing is printed, because .*--keep-going prints the rest/);
    const rest = await ask(...args, ...more, "--keep-going");
    t.equal(rest.code, 2);
    t.match(rest.text, /^# iptables$/m);
  }
});
