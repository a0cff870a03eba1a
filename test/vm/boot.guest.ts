// Is the guest a place where all that IPVS mode needs can be tried?
import { readFileSync } from "node:fs";
import { execa } from "execa";
import t from "tap";

/** What a program prints, whole; throws when it fails. */
async function print(command: string): Promise<string> {
  const { stdout } = await execa("sh", ["-c", command]);
  return stdout;
}

t.test("IPVS keeps a server of each protocol", async (t) => {
  const servers = ["-A -t 10.96.0.1:80 -s rr", "-a -t 10.96.0.1:80 -r 10.71.0.1:8080 -m -w 1"];
  const others = [
    "-A -u 10.96.0.1:53 -s mh",
    "-A --sctp-service 10.96.0.1:36412 -s sh -p 600",
    "-A -t [fd00:96::1]:80 -s wlc",
  ];
  for (const server of [...servers, ...others]) await print(`ipvsadm ${server}`);
  const saved = (await print("ipvsadm -Sn")).split("\n");
  t.same(new Set(saved.map((line) => line.trim())), new Set([...servers, ...others]));
  t.match(readFileSync("/proc/net/ip_vs", "utf8"), /^TCP {2}0A600001:0050 rr/m, "the kernel's own table has it");
});

t.test("IPVS switches are there once it is loaded, in each network namespace", async (t) => {
  t.equal(readFileSync("/proc/sys/net/ipv4/vs/conntrack", "utf8"), "0\n");
  t.equal(await print("ipvsadm -Sn | grep -c -e -A; unshare -n ipvsadm -Sn"), "4", "and servers are of one namespace");
});

t.test("an interface of type dummy carries addresses", async (t) => {
  await print("ip link add kube-ipvs0 type dummy && ip addr add 10.96.0.1/32 dev kube-ipvs0");
  t.match(await print("ip addr show kube-ipvs0"), /inet 10\.96\.0\.1\/32 scope global kube-ipvs0/);
});

t.test("an SCTP socket listens", async (t) => {
  const program =
    'socket(S, AF_INET, SOCK_STREAM, 132) && listen(S, 1) && open(E, "/proc/net/sctp/eps") or die $!; print <E>';
  const { stdout } = await execa("perl", ["-MSocket", "-e", program]);
  t.match(stdout, / 10 .* 0\.0\.0\.0 *$/m, "the kernel's own table has it, as listening");
});

for (const variant of ["nft", "legacy"]) {
  t.test(`rules of iptables-${variant} look into sets and at IPVS`, async (t) => {
    await print(`ipset create LOOP-${variant} hash:ip,port,ip`);
    const match = `-m set --match-set LOOP-${variant} dst,dst,src -j MASQUERADE`;
    await print(`iptables-${variant} -t nat -A POSTROUTING ${match}`);
    await print(`iptables-${variant} -t filter -A INPUT -m ipvs --ipvs -j ACCEPT`);
    t.match(await print(`iptables-${variant} -t nat -S POSTROUTING`), `-A POSTROUTING ${match}`);
  });
}
