import t from "tap";
import { readKubeconfig } from "../../src/source/kubeconfig.ts";
import { writeKubeconfig } from "../support/kubeconfig.ts";

const CA = Buffer.from("-----BEGIN CERTIFICATE-----\n").toString("base64");
const SERVER = { server: "https://10.0.0.1:6443" };

t.test("every field of a cluster", async (t) => {
  const folder = writeKubeconfig(t, {
    cluster: {
      server: "https://[fd00::1]:6443/clusters/one/",
      "certificate-authority-data": CA,
      "tls-server-name": "api.example",
      "proxy-url": "http://user:pass@proxy.example:3128",
    },
  });
  const path = `${folder}/kubeconfig`;
  const place = { source: path, field: "clusters[0].cluster.certificate-authority-data" };
  t.match(await readKubeconfig(path), {
    server: new URL("https://[fd00::1]:6443/clusters/one"),
    serverName: "api.example",
    authorities: { type: "text", text: "-----BEGIN CERTIFICATE-----\n", place },
    proxy: new URL("http://user:pass@proxy.example:3128"),
    insecure: false,
  });
  const overridden = await readKubeconfig(path, "https://192.0.2.1");
  t.match(overridden, { server: new URL("https://192.0.2.1") });
  t.equal(overridden.serverName, undefined, "the name was that of the other server");
});

t.test("a file is looked for from the folder of the kubeconfig", async (t) => {
  const folder = writeKubeconfig(t, { cluster: { ...SERVER, "certificate-authority": "pki/ca.crt" } });
  t.match(await readKubeconfig(`${folder}/kubeconfig`), {
    authorities: { type: "file", path: `${folder}/pki/ca.crt` },
  });
});

t.test("a server without a scheme speaks TLS where something says so", async (t) => {
  const cases: Readonly<Record<string, readonly [object, object, string]>> = {
    "nothing does": [{}, {}, "http://api.example:6443"],
    "an authority": [{ "certificate-authority-data": CA }, {}, "https://api.example:6443"],
    "no authority wanted": [{ "insecure-skip-tls-verify": true }, {}, "https://api.example:6443"],
    "a client certificate": [{}, { "client-certificate": "c", "client-key": "k" }, "https://api.example:6443"],
  };
  for (const [name, [cluster, user, server]] of Object.entries(cases)) {
    const folder = writeKubeconfig(t, { cluster: { server: "api.example:6443", ...cluster }, user: { ...user } });
    t.strictSame((await readKubeconfig(`${folder}/kubeconfig`)).server, new URL(server), name);
  }
});

t.test("fields that cannot be used", async (t) => {
  const cases: Readonly<Record<string, readonly [object, string]>> = {
    "no server": [{}, "server: is missing"],
    "both authority and none": [
      { ...SERVER, "certificate-authority": "ca", "insecure-skip-tls-verify": true },
      "insecure-skip-tls-verify: is true beside a certificate authority",
    ],
    "authority twice": [
      { ...SERVER, "certificate-authority": "ca", "certificate-authority-data": CA },
      "certificate-authority: is given beside certificate-authority-data",
    ],
    "no base64": [{ ...SERVER, "certificate-authority-data": "a secret" }, "certificate-authority-data: is no base64"],
    "a SOCKS proxy": [
      { ...SERVER, "proxy-url": "socks5://user:secret@proxy:1080" },
      "proxy-url: SOCKS proxies are not supported, only http and https",
    ],
  };
  for (const [name, [cluster, message]] of Object.entries(cases)) {
    const path = `${writeKubeconfig(t, { cluster: { ...cluster } })}/kubeconfig`;
    await t.rejects(readKubeconfig(path), { message: `${path}: clusters[0].cluster.${message}` }, name);
  }
});
