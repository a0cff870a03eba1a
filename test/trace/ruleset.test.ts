// Tests reading rulesets from kernel state and from dumps.
import t from "tap";
import { RuleSyntaxError } from "../../src/errors.ts";
import { emptyState, type KernelState } from "../../src/state/kernel-state.ts";
import { localAddressesOf } from "../../src/trace/local-addresses.ts";
import { parseIpsetSave, type Ruleset, rulesetOfDump, rulesetOfState } from "../../src/trace/ruleset.ts";
import { walk } from "../../src/trace/walk/hooks.ts";
import { readCluster } from "../support/cluster.ts";
import { buildPacket, printEnds, tableText } from "../support/one-rule.ts";
import { IPVS_BACKEND } from "../support/templates.ts";
import { fieldsOf } from "../support/traced-cluster.ts";

const ADDRESSES = [
  { interface: "lo", address: "127.0.0.1" },
  { interface: "eth0", address: "192.0.2.10" },
];

t.test("a wanted state brings its chains, sets, servers and addresses", async (t) => {
  const fields = await fieldsOf(readCluster("s01-clusterip-one-endpoint"), IPVS_BACKEND);
  const field = fields.get("IPv4");
  t.ok(field?.tables.get("nat")?.has("KUBE-SERVICES"));
  t.ok(field?.sets.has("KUBE-CLUSTER-IP"));
  const [server] = field?.servers ?? [];
  t.ok(field && server && localAddressesOf(field).isLocal(server.address), "the Service's address is local");
});

t.test("an observed state does too", async (t) => {
  const state: KernelState = {
    ...emptyState("IPv4"),
    ipvs: {
      kind: "observed",
      sets: [{ name: "S", type: "hash:ip", family: "inet", entries: new Set(["10.0.0.1"]) }],
      servers: [],
      devices: [],
      addresses: ["10.96.0.80"],
    },
  };
  const field = rulesetOfState(state, ADDRESSES);
  t.strictSame([...field.sets.keys()], ["S"]);
  t.equal(localAddressesOf(field).isLocal("10.96.0.80"), true);
  t.equal(
    localAddressesOf(rulesetOfState(state, undefined)).isLocal("10.96.0.80"),
    true,
    "though nothing else is known",
  );
});

t.test("a dump brings policies", async (t) => {
  const tables = `${tableText("filter", []).replace("INPUT ACCEPT", "INPUT DROP")}${tableText("mangle", [])}`;
  t.strictSame(rulesetOfDump({ family: "IPv4", tables }).policies.get("filter")?.get("INPUT"), "DROP");
  t.strictSame(rulesetOfDump({ family: "IPv4", tables }).policies.get("mangle")?.get("INPUT"), "ACCEPT");
});

t.test("a dump has servers of its family alone", async (t) => {
  const servers = "-A -t 10.96.0.80:80 -s rr\n-A -t [fd00:96::80]:80 -s rr\n";
  const addressesOf = ({ servers }: Ruleset) => servers.map(({ address }) => address);
  t.strictSame(addressesOf(rulesetOfDump({ family: "IPv4", tables: "", servers })), ["10.96.0.80"]);
  t.strictSame(addressesOf(rulesetOfDump({ family: "IPv6", tables: "", servers })), ["fd00:96::80"]);
});

t.test("what is no dump names its line", async (t) => {
  t.throws(() => rulesetOfDump({ family: "IPv4", tables: "*filter\nnonsense" }), RuleSyntaxError);
  t.throws(() => rulesetOfDump({ family: "IPv4", tables: "", sets: "nonsense" }), RuleSyntaxError);
});

t.test("addresses of an interface are known by its name", async (t) => {
  const locality = localAddressesOf(rulesetOfDump({ family: "IPv4", tables: "", addresses: ADDRESSES }));
  t.equal(locality.isOn("192.0.2.10", "eth0"), true);
  t.equal(locality.isOn("192.0.2.10", "eth1"), false);
  t.equal(locality.isOn("127.0.0.9", "lo"), true);
  t.equal(locality.firstOf("eth0"), "192.0.2.10");
  t.strictSame(locality.sources, ["192.0.2.10"]);
});

t.test("a field without anything lets packets through", async (t) => {
  const field = rulesetOfState(emptyState("IPv4"), ADDRESSES);
  t.strictSame(printEnds(walk(field, buildPacket()).outcomes), ["network 10.244.0.7 8080 from 198.18.0.9"]);
});

t.test("sets of every type are read", async (t) => {
  const text = [
    "# ipset",
    "create A hash:net family inet6 hashsize 1024 maxelem 65536 timeout 0 comment",
    'add A fd00::/8 timeout 0 nomatch comment "no nomatch"',
    'add A fd01::/16 timeout 0 comment "nomatch"',
    "create B hash:ip family inet netmask 24",
    "create C bitmap:port range 0-65535",
    "add C 80",
    "",
  ].join("\n");
  t.strictSame(
    [...parseIpsetSave(text)],
    [
      ["A", { name: "A", type: "hash:net", family: "inet6", entries: ["fd00::/8 nomatch", "fd01::/16"] }],
      ["B", { name: "B", type: "hash:ip", family: "inet", netmask: 24, entries: [] }],
      ["C", { name: "C", type: "bitmap:port", family: "none", entries: ["80"] }],
    ],
  );
});

t.test("what is not save text names its line", async (t) => {
  for (const line of ["add A 1.2.3.4", "destroy A", "create"]) {
    t.throws(
      () => parseIpsetSave(`create B hash:ip\n${line}`),
      new RuleSyntaxError(2, line, "neither a set nor an entry of one above"),
      line,
    );
  }
});
