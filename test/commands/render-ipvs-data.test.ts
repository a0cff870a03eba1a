// Does `render -o json` in IPVS mode say what is there for which Services?
import t, { type Test } from "tap";
import { runCommandLine } from "../../src/cli.ts";
import { CollectedOutput } from "../support/collected-output.ts";

const service = (name: string, clusterIP: string, port: number) => `
apiVersion: v1
kind: Service
metadata: {namespace: shop, name: ${name}}
spec:
  clusterIP: ${clusterIP}
  clusterIPs: [${clusterIP}]
  externalIPs: [198.18.0.9]
  ports: [{name: web, port: ${port}}]
`;

interface Rendered {
  readonly families: readonly {
    readonly sets: readonly {
      readonly name: string;
      readonly entries: readonly { readonly entry: string; readonly servicePorts: readonly string[] }[];
    }[];
    readonly servers: readonly {
      readonly address: string;
      readonly port: number;
      readonly servicePorts: readonly string[];
    }[];
    readonly addresses: readonly { readonly address: string; readonly servicePorts: readonly string[] }[];
  }[];
}

async function ask(t: Test, services: readonly string[]) {
  const output = new CollectedOutput();
  const folder = t.testdir({ "cluster.yaml": services.join("---") });
  const flags = ["--proxy-mode", "ipvs", "--ip-family", "ipv4", "-o", "json"];
  t.equal(await runCommandLine(["render", folder, ...flags], output), 0);
  const rendered: Rendered = JSON.parse(output.text);
  const [family] = rendered.families;
  if (!family) throw new Error("no family");
  const { servers, sets, addresses } = family;
  return {
    servers: servers.map(({ address, port, servicePorts }) => [`${address}:${port}`, ...servicePorts]),
    entries: sets.flatMap(({ entries }) => entries.map(({ entry, servicePorts }) => [entry, ...servicePorts])),
    addresses: addresses.map(({ address, servicePorts }) => [address, ...servicePorts]),
  };
}

t.test("Services that share an address are both named there, each alone at its port", async (t) => {
  const { servers, entries, addresses } = await ask(t, [service("a", "10.96.1.1", 80), service("b", "10.96.1.2", 81)]);
  t.strictSame(servers.toSorted(), [
    ["10.96.1.1:80", "shop/a:web"],
    ["10.96.1.2:81", "shop/b:web"],
    ["198.18.0.9:80", "shop/a:web"],
    ["198.18.0.9:81", "shop/b:web"],
  ]);
  t.strictSame(addresses, [
    ["10.96.1.1", "shop/a:web"],
    ["10.96.1.2", "shop/b:web"],
    ["198.18.0.9", "shop/a:web", "shop/b:web"],
  ]);
  t.ok(entries.some(([entry, ...owners]) => entry === "198.18.0.9,tcp:81" && owners.join() === "shop/b:web"));
});

t.test("of one virtual server that two claim both are named, the one that counts last", async (t) => {
  const { servers } = await ask(t, [service("b", "10.96.1.2", 80), service("a", "10.96.1.1", 80)]);
  t.strictSame(
    servers.filter(([place]) => place === "198.18.0.9:80"),
    [["198.18.0.9:80", "shop/a:web", "shop/b:web"]],
  );
});
