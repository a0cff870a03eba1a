import t from "tap";
import { hostPort } from "../../src/net/address.ts";
import { type EndpointsAt, staleFlows } from "../../src/plan/flows.ts";
import { buildFlow } from "../support/build-flow.ts";

/** Endpoints by destination. */
function at(endpoints: Readonly<Record<string, readonly string[]>>): EndpointsAt {
  return ({ address, port }) => {
    const found = endpoints[hostPort(address, port)];
    return found && new Set(found);
  };
}

const A = "10.1.0.1:53";
const B = "10.1.0.9:53";
const VIP = "10.0.0.1:53";

for (const { name, now = {}, before = {}, to = VIP, by, stale } of [
  { name: "to an endpoint", now: { [VIP]: [A] }, by: A, stale: false },
  { name: "to one of two endpoints", now: { [VIP]: [B, A] }, by: A, stale: false },
  { name: "to what is no endpoint", now: { [VIP]: [A] }, by: B, stale: true },
  { name: "never translated, where there are endpoints", now: { [VIP]: [A] }, by: VIP, stale: true },
  { name: "to a gone endpoint, where there are none", now: { [VIP]: [] }, by: B, stale: true },
  { name: "never translated, where there are no endpoints", now: { [VIP]: [] }, by: VIP, stale: true },
  { name: "to a destination of nobody", by: B, stale: false },
  { name: "to another port of a cluster IP", now: { [VIP]: [A] }, to: "10.0.0.1:54", by: B, stale: false },
  { name: "through a deleted Service to its endpoint", before: { [VIP]: [A] }, by: A, stale: true },
  { name: "to a deleted Service, translated by others", before: { [VIP]: [A] }, by: B, stale: false },
  { name: "to a deleted Service, never translated", before: { [VIP]: [A] }, by: VIP, stale: false },
  {
    name: "to an endpoint in the host network, once behind its own address",
    before: { [VIP]: [VIP] },
    by: VIP,
    stale: false,
  },
  { name: "what was right before but is not now", now: { [VIP]: [A] }, before: { [VIP]: [B] }, by: B, stale: true },
  { name: "what is right now and was not before", now: { [VIP]: [A] }, before: { [VIP]: [B] }, by: A, stale: false },
] satisfies readonly {
  name: string;
  now?: Record<string, string[]>;
  before?: Record<string, string[]>;
  to?: string;
  by: string;
  stale: boolean;
}[]) {
  t.test(`a flow ${name} ${stale ? "goes" : "stays"}`, async (t) => {
    const flow = buildFlow({ to, by });
    t.strictSame(staleFlows([flow], { now: at(now), before: at(before) }), stale ? [flow] : []);
  });
}

t.test("each flow is judged by itself", async (t) => {
  const [good, bad] = [buildFlow({ to: VIP, by: A }), buildFlow({ to: VIP, by: B })];
  t.strictSame(staleFlows([good, bad, good, bad], { now: at({ [VIP]: [A] }), before: at({}) }), [bad, bad]);
  t.strictSame(staleFlows([], { now: at({}), before: at({}) }), []);
});
