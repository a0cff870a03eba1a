// What do configuration and machine decide for all Services in IPVS mode alone?
import t from "tap";
import { type IpvsView, ipvsSettingsOf, sameIpvsSettings } from "../../src/model/ipvs-settings.ts";

const ADDRESSES = [
  { interface: "lo", address: "127.0.0.1" },
  { interface: "lo", address: "::1" },
  { interface: "lo", address: "192.0.2.77" },
  { interface: "eth0", address: "192.0.2.10" },
  { interface: "br0", address: "192.0.2.10" },
  { interface: "eth0", address: "2001:db8:a::10" },
  { interface: "eth0", address: "fe80::10" },
  { interface: "eth0", address: "febf::10" },
  { interface: "eth0", address: "fec0::10" },
  { interface: "cni0", address: "10.71.1.1" },
  { interface: "kube-ipvs0", address: "10.96.1.1" },
  { interface: "kube-ipvs0", address: "fd00:96::1" },
];

const IPV4: IpvsView = { family: "IPv4", ranges: "all" };
const IPV6: IpvsView = { family: "IPv6", ranges: "all" };

t.test("the node's addresses are those of other interfaces, without loopback and link-local ones", async (t) => {
  const own = ["10.71.1.1", "192.0.2.10", "192.0.2.77"];
  t.strictSame(settings(IPV4).nodeAddresses, own);
  t.strictSame(settings(IPV4).nodePortAddresses, own, "where nodePorts answer too");
  t.strictSame(settings(IPV6).nodeAddresses, ["2001:db8:a::10", "fec0::10"]);
});

const RANGES = [
  ["192.0.2.0/28", ["192.0.2.10"]],
  ["10.0.0.0/8", ["10.71.1.1", "10.96.1.1"]],
  ["127.0.0.0/8", []],
  ["fe80::/10", ["fe80::10", "febf::10"]],
  ["fd00:96::/32", ["fd00:96::1"]],
  ["198.18.0.0/15", []],
] as const;

for (const [range, found] of RANGES) {
  t.test(`nodePorts inside ${range} answer at ${found.join(" and ") || "no address"}`, async (t) => {
    const family = range.includes(":") ? "IPv6" : "IPv4";
    t.strictSame(settings({ family, ranges: [range] }).nodePortAddresses, found);
  });
}

for (const [version, expected] of [
  ["3.10.0-1160.el7.x86_64", false],
  ["4.0.9", false],
  ["4.1", true],
  ["4.19.0-27-amd64", true],
  ["5.4.0-150-generic", true],
  ["5.8.18", true],
  ["5.9", false],
  ["5.10.0", false],
  ["6.1", false],
  ["unknown", false],
] as const) {
  t.test(`kernel ${version} ${expected ? "loses" : "keeps"} connections of reused ports`, async (t) => {
    const facts = { addresses: [], kernelVersion: version };
    t.equal(
      ipvsSettingsOf({ scheduler: "rr", strictARP: false, excludeCIDRs: [] }, facts, IPV4).keepReusedPorts,
      expected,
    );
  });
}

t.test("every difference is noticed", async (t) => {
  const one = settings(IPV4);
  t.ok(sameIpvsSettings(one, settings(IPV4)), "nothing changed");
  t.ok(sameIpvsSettings(undefined, undefined), "another mode");
  t.notOk(sameIpvsSettings(one, undefined));
  t.notOk(sameIpvsSettings(undefined, one));
  const changes = [
    { scheduler: "mh" },
    { strictARP: true },
    { keepReusedPorts: true },
    { excludeCIDRs: ["10.0.0.0/8"] },
    { nodeAddresses: [] },
    { nodePortAddresses: [] },
  ];
  for (const change of changes) t.notOk(sameIpvsSettings(one, { ...one, ...change }), JSON.stringify(change));
});

function settings(view: IpvsView) {
  return ipvsSettingsOf(
    { scheduler: "rr", strictARP: false, excludeCIDRs: [] },
    { addresses: ADDRESSES, kernelVersion: "6.1" },
    view,
  );
}
