// What do the slices of a Service come to?
import t, {} from "tap";
import { endpointsOf, sameEndpoint } from "../../src/model/endpoint.js";
import { portKey } from "../../src/model/names.js";
import { buildEndpoint, buildSlice } from "../support/build.js";
const HTTP = portKey("http", "TCP");
const READY = buildEndpoint("10.1.0.1");
const DYING = buildEndpoint("10.1.0.1", { ready: false, terminating: true });
t.test("49 a ready copy goes before a terminating one, in either order", async (t) => {
    for (const [first, last] of [
        [DYING, READY],
        [READY, DYING],
    ]) {
        const slices = [buildSlice([first], { name: "a" }), buildSlice([last], { name: "b" })];
        match(t, httpOf(slices), [{ text: "10.1.0.1:8080", ready: true, terminating: false }]);
        match(t, httpOf([buildSlice([first, last])]), [{ ready: true }], "within one slice");
    }
});
t.test("of two terminating copies the first stays", async (t) => {
    const slices = [buildSlice([DYING], { name: "a" }), buildSlice([{ ...DYING, serving: false }], { name: "b" })];
    match(t, httpOf(slices), [{ serving: true }]);
});
t.test("of two live copies the one in the slice with the later name wins, in whatever order they come", async (t) => {
    const slices = [
        buildSlice([{ ...READY, ready: false }], { name: "s-b" }),
        buildSlice([{ ...READY, nodeName: "n1" }], { name: "s-c" }),
        buildSlice([{ ...READY, zoneHints: ["z1"] }], { name: "s-a" }),
    ];
    const expected = [{ ready: true, local: true, zoneHints: [] }];
    match(t, httpOf(slices), expected);
    match(t, httpOf(slices.toReversed()), expected);
});
t.test("50 an endpoint on this node is local", async (t) => {
    const slices = [buildSlice([buildEndpoint("10.1.0.1", { nodeName: "n1" })])];
    match(t, httpOf(slices), [{ ready: true, serving: true, terminating: false, local: true }]);
    match(t, httpOf(slices, "n2"), [{ local: false }]);
});
t.test("no endpoint is local to a node without a name", async (t) => {
    match(t, httpOf([buildSlice([READY])], ""), [{ local: false }]);
});
t.test("51 not ready, not terminating, still serving", async (t) => {
    match(t, httpOf([buildSlice([{ ...READY, ready: false }])]), [{ ready: false, serving: true, terminating: false }]);
});
t.test("53 slices with other numbers for one port name are merged", async (t) => {
    const other = [{ name: "http", protocol: "TCP", port: 9090 }];
    const slices = [buildSlice([READY]), buildSlice([buildEndpoint("10.1.0.2")], { name: "s-2", ports: other })];
    t.same(texts(httpOf(slices)), ["10.1.0.1:8080", "10.1.0.2:9090"]);
});
t.test("54 slices of the other family are ignored", async (t) => {
    const six = buildSlice([buildEndpoint("fd00::1")], { family: "IPv6" });
    t.same(httpOf([six]), []);
    t.same(texts(endpointsOf([six], "IPv6", "n1").get(HTTP) ?? []), ["[fd00::1]:8080"]);
});
t.test("headless slices are ignored", async (t) => {
    t.same(httpOf([buildSlice([READY], { headless: true })]), []);
});
t.test("58 endpoints are ordered as strings", async (t) => {
    const addresses = ["10.0.0.2", "10.0.0.10", "10.0.0.100", "10.0.0.9"];
    t.same(texts(httpOf([buildSlice(addresses.map((address) => buildEndpoint(address)))])), [
        "10.0.0.100:8080",
        "10.0.0.10:8080",
        "10.0.0.2:8080",
        "10.0.0.9:8080",
    ]);
});
t.test("ports are told apart by name and protocol", async (t) => {
    const ports = [
        { name: "dns", protocol: "UDP", port: 53 },
        { name: "dns", protocol: "TCP", port: 5353 },
        { name: "", protocol: "TCP", port: 80 },
    ];
    const byPort = endpointsOf([buildSlice([READY], { ports })], "IPv4", "n1");
    t.same([...byPort].map(([key, endpoints]) => [key, ...texts(endpoints)]), [
        [portKey("dns", "UDP"), "10.1.0.1:53"],
        [portKey("dns", "TCP"), "10.1.0.1:5353"],
        [portKey("", "TCP"), "10.1.0.1:80"],
    ]);
});
t.test("a slice without ports gives nothing", async (t) => {
    t.equal(endpointsOf([buildSlice([READY], { ports: [] })], "IPv4", "n1").size, 0);
});
t.test("hints are a set", async (t) => {
    const hinted = (...zoneHints) => first([buildSlice([{ ...READY, zoneHints }])]);
    t.ok(sameEndpoint(hinted("z2", "z1", "z2"), hinted("z1", "z2")));
    t.notOk(sameEndpoint(hinted("z1"), hinted("z2")));
});
t.test("every difference between endpoints is noticed", async (t) => {
    const start = first([buildSlice([READY])]);
    t.ok(sameEndpoint(start, { ...start }));
    const changes = [
        { text: "10.1.0.1:81" },
        { local: true },
        { ready: false },
        { serving: false },
        { terminating: true },
        { zoneHints: ["z1"] },
        { nodeHints: ["n1"] },
    ];
    for (const change of changes)
        t.notOk(sameEndpoint(start, { ...start, ...change }), JSON.stringify(change));
});
/** Are these the endpoints, each with at least what is said of it? */
function match(t, found, expected, message = "endpoints") {
    t.strictSame(found, expected.map((wanted, at) => ({ ...found[at], ...wanted })), message);
}
function httpOf(slices, nodeName = "n1") {
    return endpointsOf(slices, "IPv4", nodeName).get(HTTP) ?? [];
}
function first(slices) {
    const [endpoint] = httpOf(slices);
    if (endpoint === undefined)
        throw new Error("no endpoint");
    return endpoint;
}
function texts(endpoints) {
    return endpoints.map(({ text }) => text);
}
