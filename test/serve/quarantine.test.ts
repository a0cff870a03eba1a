// Tests of the Events and log lines about quarantined ServicePorts.
import t from "tap";
import { observeQuarantine } from "../../src/serve/quarantine.ts";
import type { Warning } from "../../src/serve/warning.ts";
import type { SetAsideService } from "../../src/sync/observer.ts";
import { keptLog } from "../support/kept-log.ts";
import { buildReport } from "../support/metrics.ts";

const FAILURE = { step: "iptables", code: "4", words: "no" };

function setUp() {
  const { logs, lines } = keptLog();
  const warnings: Warning[] = [];
  const log = logs("quarantine.ts");
  const observer = observeQuarantine({ nodeName: "n1", log, warn: (warning) => warnings.push(warning) });
  const sync = (...setAside: readonly SetAsideService[]) => observer.passed("IPv4", buildReport({ setAside }));
  return { observer, sync, warnings, lines };
}

function rejected(servicePort: string, change: Partial<SetAsideService> = {}): SetAsideService {
  return { servicePort, reason: "RULE_APPEND failed (Invalid argument)", ...change };
}

const WARNING: Warning = {
  reason: "ServiceQuarantined",
  action: "SyncProxyRules",
  service: { namespace: "shop", name: "web" },
  note: "node n1: the kernel rejects the IPv4 rules of shop/web:http/TCP: RULE_APPEND failed (Invalid argument)",
};

t.test("an Event on the Service names the ServicePort and the kernel's words, once until it recovers", async (t) => {
  const { sync, warnings, lines } = setUp();
  sync();
  sync(rejected("shop/web:http/TCP"));
  sync(rejected("shop/web:http/TCP"));
  t.strictSame(warnings, [WARNING]);
  t.strictSame(lines, []);
  sync();
  t.strictSame(lines, ['"ServicePort is no longer quarantined" ipFamily="IPv4" servicePort="shop/web:http/TCP"']);
  sync(rejected("shop/web:http/TCP"));
  t.equal(warnings.length, 2);
});

t.test("each family and each port without a name has its own Event", async (t) => {
  const { observer, sync, warnings } = setUp();
  sync(rejected("shop/web/TCP"), rejected("shop/api/UDP"));
  observer.passed("IPv6", buildReport({ setAside: [rejected("shop/web/TCP")] }));
  t.match(warnings, [
    { service: { name: "web" }, note: /IPv4/ },
    { service: { name: "api" }, note: /IPv4/ },
    { service: { name: "web" }, note: /IPv6/ },
  ]);
});

t.test("many ServicePorts at a time become twenty Events and one that counts the rest", async (t) => {
  const { sync, warnings } = setUp();
  sync(...Array.from({ length: 1000 }, (_, index) => rejected(`shop/web-${index}:http/TCP`)));
  t.equal(warnings.length, 21);
  t.strictSame(warnings.at(-1), {
    reason: "ServiceQuarantined",
    action: "SyncProxyRules",
    note: "the kernel rejects the IPv4 rules of 980 more ServicePorts",
  });
});

t.test("a rejected IPVS item counts where its ServicePort is not served without it", async (t) => {
  const { sync, warnings } = setUp();
  sync(
    rejected("shop/a:http/TCP", { item: "10.0.0.1:80/TCP to 10.1.0.1 8080", partial: true }),
    rejected("shop/b:http/TCP", { item: "10.0.0.2:80/TCP" }),
    rejected("10.0.0.9", { item: "10.0.0.9" }),
  );
  t.match(warnings, [{ service: { name: "b" } }, { note: /10\.0\.0\.9/ }]);
  t.notOk(warnings[1]?.service, "no ServicePort wants it any more");
});

t.test("a failed sync says nothing of recovery", async (t) => {
  const { observer, sync, lines } = setUp();
  sync(rejected("shop/web:http/TCP"));
  observer.passed("IPv4", buildReport({ failure: FAILURE }));
  t.strictSame(lines, []);
});
