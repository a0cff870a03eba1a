import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import t from "tap";
import { parseServers, printServers } from "../../src/state/ipvsadm-text.ts";
import type { RealServer, VirtualServer } from "../../src/state/virtual-server.ts";
import { arbitraryServer } from "../support/arbitrary-servers.ts";
import { takeSeed } from "../support/seed.ts";

const WEB: VirtualServer = {
  address: "10.96.1.1",
  protocol: "TCP",
  port: 80,
  scheduler: "rr",
  schedulerFlags: 0,
  persistence: 0,
  realServers: [],
};
const POD: RealServer = { address: "10.71.1.5", port: 8080, method: "masquerade", weight: 1 };

for (const [name, server, lines] of [
  ["no endpoints", WEB, ["-A -t 10.96.1.1:80 -s rr"]],
  [
    "two endpoints, one drains",
    { ...WEB, realServers: [{ ...POD, address: "10.71.2.6", weight: 0 }, POD] },
    [
      "-A -t 10.96.1.1:80 -s rr",
      "-a -t 10.96.1.1:80 -r 10.71.1.5:8080 -m -w 1",
      "-a -t 10.96.1.1:80 -r 10.71.2.6:8080 -m -w 0",
    ],
  ],
  ["affinity", { ...WEB, persistence: 600 }, ["-A -t 10.96.1.1:80 -s rr -p 600"]],
  [
    "affinity and mh",
    { ...WEB, scheduler: "mh", schedulerFlags: 0x10, persistence: 600 },
    ["-A -t 10.96.1.1:80 -s mh -p 600 -b mh-port"],
  ],
  [
    "all flags of sh",
    { ...WEB, scheduler: "sh", schedulerFlags: 0x38 },
    ["-A -t 10.96.1.1:80 -s sh -b sh-fallback,sh-port,flag-3"],
  ],
  ["flags of another scheduler", { ...WEB, schedulerFlags: 0x28 }, ["-A -t 10.96.1.1:80 -s rr -b flag-1,flag-3"]],
  [
    "UDP, IPv6",
    {
      ...WEB,
      address: "fd00:96::7",
      protocol: "UDP",
      port: 5000,
      realServers: [{ ...POD, address: "fd00:71:2::1", port: 5000 }],
    },
    ["-A -u [fd00:96::7]:5000 -s rr", "-a -u [fd00:96::7]:5000 -r [fd00:71:2::1]:5000 -m -w 1"],
  ],
  ["SCTP", { ...WEB, protocol: "SCTP", port: 36412 }, ["-A --sctp-service 10.96.1.1:36412 -s rr"]],
  ["an IPv6 address that looks like IPv4", { ...WEB, address: "::102:304" }, ["-A -t [::1.2.3.4]:80 -s rr"]],
  ["one packet", { ...WEB, protocol: "UDP", otherFlags: 4 }, ["-A -u 10.96.1.1:80 -s rr -o"]],
  [
    "tunnel and route",
    {
      ...WEB,
      realServers: [
        { ...POD, port: 80, method: "tunnel" },
        { ...POD, port: 81, method: "route" },
      ],
    },
    [
      "-A -t 10.96.1.1:80 -s rr",
      "-a -t 10.96.1.1:80 -r 10.71.1.5:80 -i -w 1",
      "-a -t 10.96.1.1:80 -r 10.71.1.5:81 -g -w 1",
    ],
  ],
] as const) {
  t.test(name, async (t) => {
    t.strictSame(printServers([server]), lines);
    const sorted = server.realServers.toSorted((one, other) => (one.address < other.address ? -1 : 1));
    t.strictSame(parseServers(lines.join("\n")), [{ ...server, realServers: sorted }]);
  });
}

t.test("TCP, UDP, SCTP; then addresses; then ports", async (t) => {
  const all = [
    { ...WEB, protocol: "SCTP", port: 1 },
    { ...WEB, address: "10.96.0.10", protocol: "UDP" },
    { ...WEB, port: 443 },
    WEB,
    { ...WEB, address: "10.96.0.10" },
  ] as const;
  t.strictSame(printServers(all), [
    "-A -t 10.96.0.10:80 -s rr",
    "-A -t 10.96.1.1:80 -s rr",
    "-A -t 10.96.1.1:443 -s rr",
    "-A -u 10.96.0.10:80 -s rr",
    "-A --sctp-service 10.96.1.1:1 -s rr",
  ]);
});

t.test("what the tool takes or prints, and we never do", async (t) => {
  const text = [
    "-A -f 7 -6 -s rr",
    "-a -f 7 -6 -r [fd00::1]:0 -g -w 1",
    "-A -t 10.50.0.1:80 -s sh -p 300 -M 255.255.255.0 -b sh-port --pe sip",
    "-a -t 10.50.0.1:80 -r 10.50.0.2:80 -i -w 3 -x 10 -y 5 --tun-type gue --tun-port 6080 --tun-nocsum",
    "-A -u 10.50.0.1:80 -s lc pe sip ops -p",
    "-A -t 10.50.0.3:80 -p -b flag-3",
    "-a -t 10.50.0.3:80 -r 10.50.0.4:80",
    "",
  ].join("\n");
  const other = { ...WEB, address: "10.50.0.1" };
  t.strictSame(parseServers(text), [
    {
      ...other,
      scheduler: "sh",
      schedulerFlags: 0x10,
      persistence: 300,
      realServers: [{ address: "10.50.0.2", port: 80, method: "tunnel", weight: 3 }],
    },
    { ...other, protocol: "UDP", scheduler: "lc", persistence: 300, otherFlags: 4 },
    {
      ...other,
      address: "10.50.0.3",
      scheduler: "wlc",
      schedulerFlags: 0x20,
      persistence: 300,
      realServers: [{ address: "10.50.0.4", port: 80, method: "route", weight: 1 }],
    },
  ]);
});

for (const [name, text] of [
  ["another command", "-D -t 10.96.1.1:80"],
  ["another protocol", "-A -x 10.96.1.1:80 -s rr"],
  ["nothing behind it", "-A -t"],
  ["no port", "-A -t 10.96.1.1 -s rr"],
  ["a port that is too large", "-A -t 10.96.1.1:65536 -s rr"],
  ["a name", "-A -t web:80 -s rr"],
  ["no address", "-A -t [10.96]:80 -s rr"],
  ["an option that is not known", "-A -t 10.96.1.1:80 -z"],
  ["an option without its value", "-A -t 10.96.1.1:80 -s"],
  ["a flag that is not known", "-A -t 10.96.1.1:80 -s mh -b mh-speed"],
  ["a real server of nothing", "-a -t 10.96.1.1:80 -r 10.71.1.5:80 -m -w 1"],
] as const) {
  t.test(`refused: ${name}`, async (t) => {
    t.throws(() => parseServers(`\n${text}`), { name: "RuleSyntaxError", line: 2, text });
  });
}

for (const [name, text] of [
  ["none", "-a -t 10.96.1.1:80 -m -w 1"],
  ["a weight that is none", "-a -t 10.96.1.1:80 -r 10.71.1.5:80 -m -w heavy"],
] as const) {
  t.test(`refused as a real server: ${name}`, async (t) => {
    t.throws(() => parseServers(`-A -t 10.96.1.1:80 -s rr\n${text}`), { name: "RuleSyntaxError", line: 2, text });
  });
}

t.test("what is printed is read again", async (t) => {
  const seed = takeSeed();
  const servers = fc.uniqueArray(arbitraryServer(["masquerade", "tunnel", "route"]), {
    maxLength: 5,
    selector: ({ address, port, protocol }) => `${address} ${port} ${protocol}`,
  });
  const property = fc.property(servers, (all) => {
    const again = parseServers(printServers(all).join("\n"));
    return isDeepStrictEqual(new Set(again.map(plain)), new Set(all.map(plain)));
  });
  t.doesNotThrow(() => fc.assert(property, { seed, numRuns: 500 }));
});

/** One text for one server, whatever the order of its parts. */
function plain(server: VirtualServer): string {
  const real = server.realServers.map(({ address, port, method, weight }) => [address, port, method, weight].join());
  const { address, protocol, port, scheduler, schedulerFlags, persistence, otherFlags = 0 } = server;
  return [address, protocol, port, scheduler, schedulerFlags, persistence, otherFlags, ...real.sort()].join();
}
