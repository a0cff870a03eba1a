// Tests running packet cases.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test } from "tap";
import { runCommandLine } from "../../../src/cli.ts";
import { readInputFlags } from "../../../src/commands/given-inputs.ts";
import { testPaths } from "../../../src/commands/test/command.ts";
import { CollectedOutput } from "../../support/collected-output.ts";
import { FIXTURES, matchGolden } from "../../support/golden.ts";

const CASES = join(FIXTURES, "trace/failing.yaml");

const RANGE = ["--cluster-cidr", "10.244.0.0/16"];

async function ask(...args: readonly string[]) {
  const output = new CollectedOutput();
  const code = await runCommandLine(["test", ...args], output);
  return { code, notes: output.notes, text: output.text.replaceAll(FIXTURES, "fixtures/") };
}

const FORMS = { text: "txt", tap: "tap", junit: "xml", json: "json", github: "github" } as const;

for (const [format, ending] of Object.entries(FORMS)) {
  t.test(`as ${format}`, async (t) => {
    const { code, text, notes } = await ask(CASES, ...RANGE, "-o", format);
    matchGolden(t, join(FIXTURES, "trace", `failing.${ending}`), text);
    t.equal(code, 1);
    t.strictSame(notes, [
      "note: Pod shop/web-0 is on node worker-a, so its packets pass the rules of that node, not those of worker-b",
    ]);
  });
}

/** A file with this content, for as long as the test runs. */
function fileOf(t: Test, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "cases.yaml"), content);
  return join(folder, "cases.yaml");
}

const PASSES =
  "cases:\n- {name: a, from: 10.244.0.9, to: 10.96.0.53:53/udp, reaches: ['10.244.0.21:5353', '10.244.0.22:5353']}\n";

const DEMO = join(FIXTURES, "demo");

t.test("manifests and node may come by flags, modes by default are both", async (t) => {
  const { code, text, notes } = await ask(fileOf(t, PASSES), "--manifests", DEMO, "--node", "worker-a");
  t.strictSame([code, notes], [0, []]);
  t.equal(text, "ok   a (iptables)\nok   a (ipvs)\n2 passed, 0 failed\n");
  const one = await ask(fileOf(t, `modes: [ipvs]\nmanifests: [${DEMO}]\n${PASSES}`));
  t.equal(one.text, "ok   a (ipvs)\n1 passed, 0 failed\n");
});

t.test("in the other layout of iptables mode, which is told", async (t) => {
  const { code, text } = await ask(fileOf(t, PASSES), "--manifests", DEMO, "--iptables-layout", "Indexed");
  t.equal(code, 0);
  t.equal(text, "ok   a (iptables, Indexed)\nok   a (ipvs)\n2 passed, 0 failed\n");
});

t.test("of two families the one that is reached", async (t) => {
  const six =
    "cases:\n- {name: a, from: external, to: 'service/demo/web', reaches: ['[fd00:244::11]:8080', '[fd00:244::12]:8080', '[fd00:244::13]:8080']}\n";
  t.equal((await ask(fileOf(t, six), "--manifests", DEMO)).code, 0);
});

t.test("what is for no Service goes its way", async (t) => {
  const none = "cases:\n- {name: a, from: 10.244.0.9, to: 198.51.100.7:22, none: true}\n";
  t.equal((await ask(fileOf(t, none), "--manifests", DEMO)).code, 0);
});

t.test("whoever is not reached is not reached too seldom", async (t) => {
  const asleep =
    "cases:\n- {name: a, from: 10.244.0.9, to: service/demo/asleep, reaches: ['10.244.0.9:1'], probability: {'10.244.0.9:1': 1}}\n";
  const { text } = await ask(fileOf(t, asleep), "--manifests", DEMO);
  t.match(
    text,
    /^ {5}rejected with icmp-port-unreachable by filter KUBE-SERVICES 1: .*\n {5}does not reach 10\.244\.0\.9:1\n {7}found/m,
  );
});

t.test("a node that is not said", async (t) => {
  const shop = [
    "--manifests",
    join(FIXTURES, "ci-example/manifests"),
    "--manifests",
    join(FIXTURES, "ci-example/cluster"),
  ];
  const none = "cases:\n- {name: a, from: 10.244.0.9, to: 198.51.100.7:22, none: true}\n";
  const { code, notes } = await ask(fileOf(t, none), ...shop);
  t.strictSame([code, notes], [0, ["note: no --node, so no endpoint is local and no zone is known"]]);
});

t.test("a client that stays nowhere", async (t) => {
  const { text } = await ask(fileOf(t, PASSES.replace("reaches", "affinity: true, reaches")), "--manifests", DEMO);
  t.equal(text.match(/^ {5}10\.244\.0\.2\d:5353: a client does not stay with it$/gm)?.length, 4);
});

t.test("the node itself is masqueraded or not, its endpoints see the node", async (t) => {
  const own = (masqueraded: boolean) =>
    `cases:\n- {name: a, from: node, to: service/demo/dns, masqueraded: ${masqueraded}, reaches: ['10.244.0.21:5353', '10.244.0.22:5353']}\n`;
  for (const masqueraded of [true, false]) {
    t.equal((await ask(fileOf(t, own(masqueraded)), "--manifests", DEMO)).code, 0);
  }
});

t.test("the node's kind of pods is told by flags", async (t) => {
  const by = (name: string) =>
    fileOf(t, PASSES.replace("reaches", `in: ${name}, masqueraded: ${name !== "veth1"}, reaches`));
  const flags = ["--manifests", DEMO, "--detect-local-mode=InterfaceNamePrefix", "--pod-interface-name-prefix=veth"];
  t.equal((await ask(by("veth1"), ...flags)).code, 0);
  const { text } = await ask(by("eth0"), ...flags);
  t.match(text, /^ok {3}a \(iptables\)$/m);
});

t.test("a client that stays: for so long, at all, or not", async (t) => {
  const stays =
    "cases:\n- {name: a, from: 203.0.113.9, to: 203.0.113.10:443, reaches: ['10.244.1.7:8443', '10.244.1.8:8443']";
  const shop = [
    "--manifests",
    join(FIXTURES, "ci-example/manifests"),
    "--manifests",
    join(FIXTURES, "ci-example/cluster"),
  ];
  const answer = async (affinity: string) => {
    const { code, text } = await ask(fileOf(t, `${stays}, affinity: ${affinity}}\n`), ...shop, "--node", "worker-b");
    return [code, ...(text.match(/a client .*$/gm) ?? [])];
  };
  t.strictSame(await answer("600"), [0]);
  t.strictSame(await answer("true"), [0]);
  const told = Array.from({ length: 4 }, () => "a client stays with it for 600 s");
  t.strictSame(await answer("10800"), [1, ...told]);
  t.strictSame(await answer("false"), [1, ...told]);
});

t.test("what is not left to chance is equally likely by no means, but nobody says otherwise", async (t) => {
  const options = ["--manifests", DEMO, "--ipvs-scheduler", "lc"];
  t.equal((await ask(fileOf(t, PASSES), ...options)).code, 0);
  const said = PASSES.replace("reaches", "probability: {'10.244.0.21:5353': 1/2, '10.244.0.22:5353': 1/2}, reaches");
  const { text } = await ask(fileOf(t, said), ...options);
  t.match(text, /^FAIL a \(ipvs\)\n.*\n +what reaches 10\.244\.0\.21:5353 is not left to chance$/m);
  t.match(text, /found: possibly 10\.244\.0\.22:5353$/m);
});

t.test("files that cannot be used: all problems, and no result of theirs", async (t) => {
  const bad = fileOf(
    t,
    "cases:\n- {name: a, from: nobody, to: node:1, none: true}\n- name: b\n  from: node\n  to: nowhere\n  none: true\n",
  );
  const good = fileOf(t, PASSES);
  const { code, text, notes } = await ask(bad, good, "--manifests", DEMO);
  t.equal(code, 2);
  t.equal(
    text,
    `ok   a (iptables)\nok   a (ipvs)\nERROR ${bad} has unusable input\n2 passed, 0 failed, 1 file with unusable input\n`,
  );
  t.match(notes, [
    /^error: .*cases\.yaml:2: cases\[0\]\.from: "nobody" is not ADDRESS\[:PORT\]/,
    /^error: .*cases\.yaml:5: cases\[1\]\.to: "nowhere" is not ADDRESS:PORT/,
  ]);
  const unread = await ask(fileOf(t, "cases: 5\n"), "--manifests", DEMO);
  t.match(unread, { code: 2, text: /^ERROR .* has unusable input\n0 passed, 0 failed, 1 file with unusable input\n$/ });
  t.match(unread.notes, [/cases\.yaml:1: cases: must be a list, not 5$/]);
});

t.test("wrong usage", async (t) => {
  t.match(await ask(fileOf(t, PASSES)), {
    code: 2,
    notes: [/cases\.yaml: no manifests; list them under "manifests" or pass --manifests PATH$/],
  });
  t.match(await ask("/nowhere.yaml", "--manifests", DEMO), {
    code: 2,
    notes: [/\/nowhere\.yaml: cannot be read: no such file or directory/],
  });
  t.equal((await ask("--manifests", DEMO)).code, 2);
});

t.test("cases over manifests that cannot be read are not run", async (t) => {
  const broken = fileOf(
    t,
    "apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: 5\n---\nkind: Role\napiVersion: v1\n",
  );
  const { code, text, notes } = await ask(fileOf(t, PASSES), "--manifests", DEMO, "--manifests", broken, "-v");
  t.equal(code, 2);
  t.match(text, /^ERROR .* has unusable input\n0 passed, 0 failed, 1 file with unusable input\n$/);
  t.match(notes, [/Role/, /^error: .*Service default\/x: spec/]);
});

t.test("colour is for those who want it", async (t) => {
  const output = new CollectedOutput();
  const input = await readInputFlags(
    { nodeIps: [], nodeAddresses: [], verbose: false, paths: [DEMO] },
    new Map(),
    output,
  );
  t.equal(await testPaths(input, { cases: [fileOf(t, PASSES)], format: "text", colour: true }, output), 0);
  t.ok(output.text.includes("\u001b[32mok  \u001b[0m a (ipvs)"));
});
