import t from "tap";
import { proxyFor } from "../../src/source/environment-proxy.ts";

const API = "https://api.example.org:6443";

t.test("which proxy, by the variables that are set", async (t) => {
  const cases: readonly (readonly [string, Record<string, string>, string | undefined])[] = [
    [API, {}, undefined],
    [API, { HTTPS_PROXY: "http://p:3128" }, "http://p:3128/"],
    [API, { https_proxy: "p:3128" }, "http://p:3128/"],
    [API, { HTTPS_PROXY: "", https_proxy: "https://p" }, "https://p/"],
    [API, { HTTP_PROXY: "http://p" }, undefined],
    ["http://api.example.org", { HTTP_PROXY: "http://p" }, "http://p/"],
    ["https://localhost:6443", { HTTPS_PROXY: "http://p" }, undefined],
    ["https://127.1.2.3:6443", { HTTPS_PROXY: "http://p" }, undefined],
    ["https://[::1]:6443", { HTTPS_PROXY: "http://p" }, undefined],
    ["https://10.0.0.1:6443", { HTTPS_PROXY: "http://p" }, "http://p/"],
  ];
  for (const [server, environment, proxy] of cases) {
    t.equal(proxyFor(new URL(server), environment)?.href, proxy, `${server} with ${JSON.stringify(environment)}`);
  }
});

t.test("which servers NO_PROXY exempts", async (t) => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    [API, "*", true],
    [API, "example.org", true],
    [API, " Example.ORG , x", true],
    [API, "ample.org", false],
    [API, ".example.org", true],
    [API, "*.example.org", true],
    [API, ".api.example.org", false],
    [API, "api.example.org:6443", true],
    [API, "api.example.org:443", false],
    ["https://api.example.org", "api.example.org:443", true],
    [API, ",,", false],
    [API, "10.0.0.0/8", false],
    [API, "10.0.0.1", false],
    ["https://10.0.0.1:6443", "10.0.0.0/8", true],
    ["https://10.0.0.1:6443", "192.0.2.0/24,10.0.0.1", true],
    ["https://10.0.0.1:6443", "10.0.0.1:443", false],
    ["https://[fd00::1]:6443", "fd00::/8", true],
    ["https://[fd00::1]:6443", "fd00:0::1", true],
    ["https://[fd00::1]:6443", "[fd00::1]:6443", true],
    ["https://[fd00::1]:6443", "10.0.0.0/8,fd00::2", false],
  ];
  for (const [server, list, exempt] of cases) {
    const proxy = proxyFor(new URL(server), { HTTPS_PROXY: "http://p", no_proxy: list });
    t.equal(proxy === undefined, exempt, `${server} with ${list}`);
  }
});

t.test("a proxy that cannot be used is named by its variable alone", async (t) => {
  const refused = (text: string) => () => proxyFor(new URL(API), { HTTPS_PROXY: text });
  t.throws(refused("socks5://user:SECRET@p"), {
    message: "HTTPS_PROXY: SOCKS proxies are not supported, only http and https",
  });
  t.throws(refused("http://user:SECRET@p:port"), { message: "HTTPS_PROXY: is no URL" });
});
