import t from "tap";
import { readSliceWithoutPods } from "../../src/api/endpoint-slice.ts";
import { run } from "../../src/commands/run.ts";
import { InputError } from "../../src/errors.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { completeConfig } from "../../src/options/complete.ts";
import { optionsOf } from "../../src/options/options.ts";
import type { Batch } from "../../src/source/source.ts";
import { createLog } from "../../src/sync/log.ts";
import { systemClock } from "../../src/sync/schedule.ts";
import { buildEndpoint, buildNode, buildService, buildSlice } from "../support/build.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { BACKEND } from "../support/templates.ts";

const FLAGS = new Map([
  ["hostname-override", ["N1"] as const],
  ["iptables-localhost-nodeports", ["false"] as const],
]);

const FACTS = {
  addresses: [],
  iptablesVersion: "1.8.9",
  iptablesVariant: "legacy" as const,
  kernelVersion: "6.1",
  cpus: 1,
  counters: { invalidDropped: false, localhostNodePorts: false },
  tcpBeLiberal: false,
};

const objects = [buildNode(), buildService(), buildSlice([buildEndpoint("10.1.0.1", { nodeName: "n1" })])];

const FIRST: Batch = {
  changes: [
    ...objects.map((object) => ({ type: "set", object }) as const),
    { type: "complete", kind: "Service" },
    { type: "complete", kind: "EndpointSlice" },
  ],
  problems: [new InputError({ source: "a.yaml" }, "is odd")],
  passedOver: [{ category: "unused", place: {}, reason: "kind Pod is not used" }],
};

function setUp(families: readonly ("IPv4" | "IPv6")[]) {
  const tools = new FakeIptables();
  const lines: string[] = [];
  const log = createLog("text", (line) => lines.push(line));
  const shared = {
    options: optionsOf(completeConfig(FLAGS)),
    nodeName: "n1",
    backend: BACKEND,
    clock: systemClock,
    log,
  };
  return { tools, lines, input: { ...shared, kernel: machine(tools.run), facts: { ...FACTS, families } } };
}

t.test("the source is followed to its end, and rules stay", async (t) => {
  const { tools, lines, input } = setUp(["IPv4"]);
  const source = (async function* () {
    yield { changes: [], problems: [], passedOver: [] };
    t.equal(tools.log.length, 0, "nothing is written before all kinds are complete");
    yield FIRST;
    while (!lines.some((line) => line.includes("SyncProxyRules"))) await new Promise((done) => setTimeout(done, 5));
  })();
  await run({ ...input, source });
  t.match(tools.save(), /10\.1\.0\.1:8080/);
  t.match(lines, [
    /"Starting" mode="iptables" node="n1" families="IPv4"/,
    /^E.*"Ignoring invalid input" err="a\.yaml: is odd"/,
    /^I.*"Skipping unused input".* reason="kind Pod is not used"/,
    /"SyncProxyRules complete"/,
    /"Stopped; rules stay in place"/,
  ]);
});

t.test("a line about invalid or unused input names the object in a field of its kind", async (t) => {
  const { lines, input } = setUp(["IPv4"]);
  const labels = { "kubernetes.io/service-name": "web" };
  const slice = {
    metadata: { namespace: "shop", name: "web-x7", labels },
    addressType: "IPv7",
    ports: [],
    endpoints: [],
  };
  const { problems, objects } = readSliceWithoutPods(slice, { source: "/apis" });
  t.strictSame(objects, [], "a slice of an unknown address type is ignored, in both families");
  const skipped = ["Service shop/old", "Node n2", "Odd=kind x"].map((object) => {
    return { category: "unused", place: { object }, reason: "it is not used" } as const;
  });
  const source = (async function* () {
    yield { ...FIRST, problems, passedOver: skipped };
  })();
  await run({ ...input, source });
  t.match(
    lines.filter((line) => /input"/.test(line)),
    [
      /^E.*"Ignoring invalid input" endpointSlice="shop\/web-x7" err=".*addressType: must be IPv4 or IPv6 or FQDN, not \\"IPv7\\""$/m,
      /^I.*"Skipping unused input" service="shop\/old" reason=/,
      /^I.*"Skipping unused input" node="n2" reason=/,
      /^I.*"Skipping unused input" object="Odd=kind x" reason=/,
    ],
  );
});

t.test("when the source fails, so does it, and nothing goes on behind its back", async (t) => {
  const { tools, input, lines } = setUp(["IPv4"]);
  const source = (async function* (): AsyncGenerator<Batch> {
    yield FIRST;
    throw new Error("no more");
  })();
  await t.rejects(run({ ...input, source }), { message: "no more" });
  const calls = tools.log.length;
  await new Promise((done) => setTimeout(done, 50));
  t.equal(tools.log.length, calls);
  t.notMatch(lines.join("\n"), /Stopped/);
});
