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

t.test("a malformed variable is an error that names it and never shows its text", async (t) => {
  const SHAPE = "must be [http://][USER:PASSWORD@]HOST[:PORT], without a path";
  const ENTRY = "is not a CIDR, or a host name or IP address with or without a port";
  const cases: readonly (readonly [string, Record<string, string>, string])[] = [
    [
      API,
      { HTTPS_PROXY: "socks5://user:SECRET@p" },
      "HTTPS_PROXY: SOCKS proxies are not supported, only http and https",
    ],
    [API, { HTTPS_PROXY: "http://user:SECRET@p:port" }, "HTTPS_PROXY: is not a valid URL"],
    [API, { HTTPS_PROXY: "http://user:SECRET@" }, "HTTPS_PROXY: is not a valid URL"],
    [API, { HTTPS_PROXY: "http://p:99999" }, "HTTPS_PROXY: is not a valid URL"],
    [API, { HTTPS_PROXY: "user:SECRET word@p:3128:1" }, "HTTPS_PROXY: is not a valid URL"],
    [API, { https_proxy: "ftp://user:SECRET@p" }, "https_proxy: must begin with http:// or https://"],
    [API, { HTTPS_PROXY: "http:/user:SECRET@p:3128" }, `HTTPS_PROXY: ${SHAPE}`],
    [API, { HTTPS_PROXY: "http://p:3128/?SECRET" }, `HTTPS_PROXY: ${SHAPE}`],
    [API, { HTTPS_PROXY: "http://p:3128#SECRET" }, `HTTPS_PROXY: ${SHAPE}`],
    [
      API,
      { HTTPS_PROXY: "http://user:SECRET%zz@p" },
      "HTTPS_PROXY: has a user or password with % that is not followed by two hexadecimal digits",
    ],
    ["http://api.example.org", { HTTP_PROXY: "http://:SECRET" }, "HTTP_PROXY: is not a valid URL"],
    ["https://localhost:6443", { HTTPS_PROXY: "http://:SECRET" }, "HTTPS_PROXY: is not a valid URL"],
    [API, { HTTPS_PROXY: "http://p", NO_PROXY: "a, 10.0.0.0/33" }, `NO_PROXY: entry 2 ${ENTRY}`],
    [API, { HTTPS_PROXY: "http://p", NO_PROXY: "localhost 10.0.0.1" }, `NO_PROXY: entry 1 ${ENTRY}`],
    [API, { HTTPS_PROXY: "http://p", no_proxy: "a:99999" }, `no_proxy: entry 1 ${ENTRY}`],
    [API, { HTTPS_PROXY: "http://p", NO_PROXY: "[fd00::1" }, `NO_PROXY: entry 1 ${ENTRY}`],
    [API, { HTTPS_PROXY: "http://p", NO_PROXY: "[a]:1" }, `NO_PROXY: entry 1 ${ENTRY}`],
  ];
  for (const [server, environment, message] of cases) {
    t.throws(() => proxyFor(new URL(server), environment), { message }, JSON.stringify(environment));
  }
});

t.test("variables that are not read, and blanks round a text, are no error", async (t) => {
  t.equal(proxyFor(new URL(API), { HTTP_PROXY: "http://:1", NO_PROXY: "10.0.0.0/33" }), undefined);
  t.equal(proxyFor(new URL(API), { HTTPS_PROXY: " http://user:pass%20word@p:3128/ " })?.host, "p:3128");
});
