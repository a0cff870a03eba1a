// Tests of `/flagz` and `/statusz`: their text, their objects, and the choice between them.
import t from "tap";
import { parse } from "yaml";
import { flagValues } from "../../src/options/flag-values.ts";
import { ALL_FLAGS } from "../../src/options/flags.ts";
import { flagz, statusz } from "../../src/serve/z-pages.ts";
import { FIXTURES, matchGolden } from "../support/golden.ts";
import { question } from "../support/question.ts";

const STARTED = Date.parse("2026-01-02T03:04:05.600Z");

async function status(now: number): Promise<string> {
  const page = statusz({ started: STARTED, now: () => now, version: "0.1.0", paths: ["/metrics", "/healthz"] });
  return (await page(question())).body;
}

t.test("flags by name", async (t) => {
  const page = await flagz([
    ["v", "4"],
    ["cluster-cidr", ""],
    ["nodeport-addresses", "[10.0.0.0/8,primary]"],
  ])(question());
  t.equal(page.headers["Content-Type"], "text/plain; charset=utf-8");
  matchGolden(t, `${FIXTURES}serve/flagz.txt`, page.body);
});

t.test("every flag is there", async (t) => {
  const { body } = await flagz(flagValues(new Map([["proxy-mode", ["ipvs"]]])))(question());
  for (const { flag } of ALL_FLAGS) t.match(body, `\n${flag}=`);
  t.match(body, "\nproxy-mode=ipvs\n");
});

t.test("since when which version runs", async (t) => {
  const text = await status(STARTED + 16_900);
  matchGolden(t, `${FIXTURES}serve/statusz.txt`, text.replace(process.version, "v20.0.0"));
});

for (const { days, hours, minutes, up } of [
  { days: 0, hours: 0, minutes: 0, up: "0 hr 00 min 00 sec" },
  { days: 0, hours: 9, minutes: 59.99, up: "9 hr 59 min 59 sec" },
  { days: 12, hours: 3, minutes: 7.1, up: "291 hr 07 min 06 sec" },
]) {
  t.test(`up for ${up}`, async (t) => {
    t.match(await status(STARTED + ((days * 24 + hours) * 60 + minutes) * 60_000), `\nUp: ${up}\n`);
  });
}

const FLAGZ_BETA = "application/json;v=v1beta1;g=config.k8s.io;as=Flagz";
const FLAGZ_ALPHA = "application/json;v=v1alpha1;g=config.k8s.io;as=Flagz";

/** With the media type of the answer; those without one are not acceptable. */
const ACCEPTED = [
  { accept: undefined, type: "text/plain" },
  { accept: " ", type: "text/plain" },
  { accept: "*/*", type: "text/plain" },
  { accept: "text/plain;charset=utf-8", type: "text/plain" },
  { accept: "text/html,application/xml;q=0.9,*/*;q=0.8", type: "text/plain" },
  { accept: "application/json, Text/*", type: "text/plain" },
  { accept: FLAGZ_BETA, type: "application/json" },
  { accept: FLAGZ_ALPHA, type: "application/json" },
  { accept: "application/json; as=Flagz; g=config.k8s.io; v=v1beta1", type: "application/json" },
  { accept: `text/plain;q=0.5,${FLAGZ_BETA}`, type: "application/json" },
  { accept: `${FLAGZ_BETA};q=0.5,text/plain`, type: "text/plain" },
  { accept: FLAGZ_BETA.replace("json", "yaml"), type: "application/yaml" },
  { accept: `${FLAGZ_BETA.replace("v1beta1", "v1")},*/*`, type: "text/plain" },
  { accept: "application/json", type: undefined },
  { accept: "application/json;v=v1alpha1;g=config.k8s.io", type: undefined },
  { accept: FLAGZ_BETA.replace("Flagz", "Statusz"), type: undefined },
  { accept: FLAGZ_BETA.replace("config.k8s.io", "kubeproxy.config.k8s.io"), type: undefined },
  { accept: FLAGZ_BETA.replace("application/json", "text/plain"), type: undefined },
  { accept: FLAGZ_BETA.replace("application/json", "application/vnd.kubernetes.protobuf"), type: undefined },
  { accept: "text/html", type: undefined },
];

for (const { accept, type } of ACCEPTED) {
  t.test(`Accept: ${accept} is answered with ${type ?? "406"}`, async (t) => {
    const { status, headers, body } = await flagz([["v", "4"]])(question({ accept }));
    t.equal(status, type === undefined ? 406 : 200);
    t.match(headers["Content-Type"], type ?? "application/json");
    if (type !== undefined) return;
    const message = "only the following media types are accepted: application/json, application/yaml, text/plain";
    t.match(JSON.parse(body), { kind: "Status", status: "Failure", reason: "NotAcceptable", code: 406, message });
  });
}

t.test("flags as an object, in both versions and as YAML", async (t) => {
  const page = flagz([
    ["v", "4"],
    ["cluster-cidr", ""],
    ["nodeport-addresses", "[10.0.0.0/8,primary]"],
  ]);
  const object = {
    kind: "Flagz",
    apiVersion: "config.k8s.io/v1beta1",
    metadata: { name: "kube-proxy" },
    flags: { "cluster-cidr": "", "nodeport-addresses": "[10.0.0.0/8,primary]", v: "4" },
  };
  const beta = await page(question({ accept: FLAGZ_BETA }));
  t.strictSame(JSON.parse(beta.body), object);
  t.notOk(beta.headers.Warning);
  const alpha = await page(question({ accept: FLAGZ_ALPHA }));
  t.strictSame(JSON.parse(alpha.body), { ...object, apiVersion: "config.k8s.io/v1alpha1" });
  t.equal(
    alpha.headers.Warning,
    '299 - "This version of the flagz endpoint is deprecated. Please use a newer version."',
  );
  const yaml = await page(question({ accept: FLAGZ_BETA.replace("json", "yaml") }));
  t.strictSame(parse(yaml.body), object);
});

t.test("the status as an object, as JSON and as YAML", async (t) => {
  const page = statusz({ started: STARTED, now: () => STARTED + 61_900, version: "v0.1.0", paths: ["/b", "/a"] });
  const object = {
    kind: "Statusz",
    apiVersion: "config.k8s.io/v1beta1",
    metadata: { name: "kube-proxy" },
    startTime: "2026-01-02T03:04:05Z",
    uptimeSeconds: 61,
    goVersion: `node ${process.version}`,
    binaryVersion: "0.1.0",
    emulationVersion: "1.36",
    paths: ["/a", "/b"],
  };
  const accept = FLAGZ_BETA.replace("Flagz", "Statusz");
  t.strictSame(JSON.parse((await page(question({ accept }))).body), object);
  t.strictSame(parse((await page(question({ accept: accept.replace("json", "yaml") }))).body), object);
});
