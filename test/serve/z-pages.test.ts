// What do /flagz and /statusz say, and to whom?
import t from "tap";
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

const ACCEPTED = [
  { accept: undefined, status: 200 },
  { accept: "", status: 200 },
  { accept: "*/*", status: 200 },
  { accept: "text/plain;charset=utf-8", status: 200 },
  { accept: "text/html,application/xml;q=0.9,*/*;q=0.8", status: 200 },
  { accept: "application/json, Text/*", status: 200 },
  { accept: "application/json", status: 406 },
  { accept: "application/json;v=v1beta1;g=config.k8s.io;as=Flagz", status: 406 },
  { accept: "text/html", status: 406 },
];

for (const { accept, status } of ACCEPTED) {
  t.test(`Accept: ${accept} is answered with ${status}`, async (t) => {
    const answer = await flagz([])(question({ accept }));
    t.equal(answer.status, status);
    if (status === 406) t.equal(answer.body, "only text/plain is offered here\n");
  });
}
