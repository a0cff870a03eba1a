// Which rules does a randomised walk meet that no node proxy writes?
import fc from "fast-check";

/** Sets that the rules ask: networks with an exception, addresses with ports, and a set of sets. */
export const SETS = [
  "create NETS hash:net family inet",
  "add NETS 198.18.0.0/16",
  "add NETS 198.18.0.8/30 nomatch",
  "add NETS 10.1.0.0/30",
  "create PORTS hash:ip,port family inet",
  "add PORTS 10.0.0.1,tcp:80",
  "add PORTS 10.1.0.2,tcp:8080",
  "create NUMBERS bitmap:port range 0-65535",
  "add NUMBERS 80",
  "create PAIRS hash:ip,port,net family inet",
  "add PAIRS 10.0.0.1,tcp:80,198.18.0.0/29 nomatch",
  "add PAIRS 10.0.0.1,tcp:80,198.18.0.0/24",
  "create LIST list:set",
  "add LIST PORTS",
  "add LIST NUMBERS",
].join("\n");

const CHAINS = ["A", "B", "C", "D"];

const address = fc.constantFrom(
  "198.18.0.9/32",
  "198.18.0.0/16",
  "10.0.0.1/32",
  "10.1.0.0/29",
  "10.1.0.2/32",
  "192.0.2.10/32",
  "192.0.0.0/5",
);
const not = fc.constantFrom("", "! ");
const mark = fc.constantFrom("0x1/0x1", "0x2/0x3", "0x4/0xff", "0x0/0x2");

/** Matches as restore takes them. Those of a protocol are in `heads`, which stand in front. */
const matches = fc.oneof(
  { weight: 4, arbitrary: fc.constant("") },
  fc.tuple(not, mark).map(([not, mark]) => `-m mark ${not}--mark ${mark}`),
  fc.tuple(not, mark).map(([not, mark]) => `-m connmark ${not}--mark ${mark}`),
  fc.constantFrom("0.5", "0.25", "0.3333333333", "0.9").map((p) => `-m statistic --mode random --probability ${p}`),
  fc
    .tuple(not, fc.constantFrom("NEW", "DNAT", "ESTABLISHED,RELATED", "INVALID", "NEW,SNAT"))
    .map(([not, states]) => `-m conntrack ${not}--ctstate ${states}`),
  fc.tuple(not, address).map(([not, cidr]) => `-m conntrack ${not}--ctorigdst ${cidr}`),
  fc
    .tuple(not, fc.constantFrom("src", "dst"), fc.constantFrom("LOCAL", "UNICAST"))
    .map(([not, side, type]) => `-m addrtype ${not}--${side}-type ${type}`),
  fc
    .tuple(
      not,
      fc.constantFrom("NETS src", "NETS dst", "PORTS dst,dst", "NUMBERS dst", "PAIRS dst,dst,src", "LIST dst,dst"),
    )
    .map(([not, set]) => `-m set ${not}--match-set ${set}`),
  fc.constant("-m set --match-set NETS src --return-nomatch"),
  fc
    .tuple(not, fc.constantFrom("10.0.0.1-10.0.0.9", "10.1.0.2-10.1.0.4"))
    .map(([not, range]) => `-m iprange ${not}--dst-range ${range}`),
);

const heads = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  fc.tuple(not, fc.constantFrom("-s", "-d"), address).map(([not, side, cidr]) => `${not}${side} ${cidr}`),
  fc.constantFrom("eth0", "cni0", "eth+", "lo").map((name) => `-i ${name}`),
  fc.tuple(not, fc.constantFrom("80", "81:9000", "8080")).map(([not, ports]) => `-p tcp -m tcp ${not}--dport ${ports}`),
  fc.constantFrom("80,30080", "1:79,8080").map((ports) => `-p tcp -m multiport --dports ${ports}`),
  fc.constant("-p tcp --syn"),
  fc.constant("! -p udp"),
);

/** Chains jump to later ones only, so there is no ring. */
function targets(table: string, chain: string) {
  const later = CHAINS.slice(CHAINS.indexOf(chain) + 1);
  const leads = later.map((name) => fc.constantFrom(`-j ${name}`, `-g ${name}`));
  const own = { nat: nat(), filter: filter(), mangle: changes() }[table] ?? changes();
  return fc.oneof({ weight: 3, arbitrary: own }, fc.constant("-j RETURN"), changes(), ...leads);
}

function changes() {
  return fc.constantFrom(
    "-j MARK --set-xmark 0x1/0x1",
    "-j MARK --set-xmark 0x2/0x0",
    "-j MARK --set-mark 0x4",
    "-j CONNMARK --save-mark",
    "-j CONNMARK --restore-mark --nfmask 0x3 --ctmask 0xff",
    "-j CONNMARK --set-xmark 0x4/0xf",
    "",
  );
}

function nat() {
  return fc.constantFrom(
    "-p tcp -j DNAT --to-destination 10.1.0.1:8080",
    "-p tcp -j DNAT --to-destination 10.1.0.2:8080",
    "-p tcp -j DNAT --to-destination 10.1.0.3:8080",
    "-j ACCEPT",
  );
}

function filter() {
  return fc.constantFrom("-j ACCEPT", "-j DROP", "-j REJECT", "-j REJECT --reject-with icmp-admin-prohibited");
}

function rulesOf(table: string, chain: string) {
  return fc.array(fc.tuple(heads, matches, targets(table, chain)), { minLength: 1, maxLength: 4 }).map((all) =>
    all.map((parts) =>
      [`-A ${chain}`, ...parts]
        .filter((part) => part !== "")
        .join(" ")
        .replace(/(-p tcp.*) -p tcp/, "$1")
        .replace(/! -p udp(.*) -p tcp/, "-p tcp$1"),
    ),
  );
}

function table(name: string, hooks: readonly string[]) {
  return fc
    .tuple(...CHAINS.map((chain) => rulesOf(name, chain)))
    .map((chains) =>
      [
        `*${name}`,
        ...CHAINS.map((chain) => `:${chain} - [0:0]`),
        ...hooks.map((hook) => `-A ${hook} -j A`),
        ...chains.flat(),
        "COMMIT",
      ].join("\n"),
    );
}

/** Answers pass, so that what a connection finds is what became of its first packet. */
const ANSWERS = [
  "*filter",
  "-I FORWARD -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT",
  "-I INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT",
  "COMMIT",
].join("\n");

/** Input of a restore: in each table the first chain is met at its hooks, and leads to the others. */
export const randomRules: fc.Arbitrary<string> = fc
  .tuple(table("mangle", ["PREROUTING"]), table("nat", ["PREROUTING"]), table("filter", ["FORWARD", "INPUT"]))
  .map(
    (tables) => `${tables.join("\n")}\n${ANSWERS}\n*nat\n-A POSTROUTING -m mark --mark 0x1/0x1 -j MASQUERADE\nCOMMIT\n`,
  );
