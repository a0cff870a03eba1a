import t from "tap";
import { hostOf, portOf, printServer, readProxy, readServer } from "../../src/source/server-address.ts";

t.test("an API server as it is written, printed and dialled", async (t) => {
  const cases: readonly (readonly [string, string, string, number])[] = [
    ["https://10.0.0.1:6443", "https://10.0.0.1:6443", "10.0.0.1", 6443],
    ["https://api.example/", "https://api.example", "api.example", 443],
    ["HTTP://API.example", "http://api.example", "api.example", 80],
    ["https://[fd00::1]:6443/k8s//", "https://[fd00::1]:6443/k8s", "fd00::1", 6443],
    ["localhost:8080", "https://localhost:8080", "localhost", 8080],
  ];
  for (const [text, printed, host, port] of cases) {
    const url = readServer(text, {}, true);
    t.strictSame([printServer(url), hostOf(url), portOf(url)], [printed, host, port], text);
  }
  t.equal(printServer(readServer("localhost:8080", {}, false)), "http://localhost:8080", "without TLS");
});

t.test("what is refused, without a word of it", async (t) => {
  const place = { source: "--master" };
  const servers: readonly (readonly [string, string])[] = [
    ["https://", "is not a valid URL"],
    ["ftp://SECRET.example", "must begin with http:// or https://"],
    ["https://user:SECRET@api.example", "must not hold a user or password"],
  ];
  for (const [text, reason] of servers) {
    t.throws(() => readServer(text, place, false), { message: `--master: ${reason}` }, text);
  }
  const proxies: readonly (readonly [string, string])[] = [
    ["proxy.example", "is not a valid URL"],
    ["ftp://user:SECRET@proxy.example", "must begin with http:// or https://"],
    ["socks5://user:SECRET@proxy.example", "SOCKS proxies are not supported, only http and https"],
  ];
  for (const [text, reason] of proxies) {
    t.throws(() => readProxy(text, place), { message: `--master: ${reason}` }, text);
  }
  t.equal(readProxy("https://user:pass@proxy.example", place).password, "pass");
});
