import t from "tap";
import { readPod } from "../../src/api/pod.js";
import { fullObject, spoil } from "../support/full-objects.js";
const POD = {
    kind: "Pod",
    namespace: "shop",
    name: "cart-0",
    nodeName: "worker-a",
    ips: ["10.244.0.31", "fd00:244::31"],
};
/** Path, value there, what differs from the full Pod. */
const ACCEPTED = {
    "both families": [["kind"], "Pod", {}],
    "one address, in the field of old": [["status", "podIPs"], null, { ips: ["10.244.0.31"] }],
    "an address yet to come": [["status"], { phase: "Pending" }, { ips: [] }],
    "no status": [["status"], null, { ips: [] }],
    "no node yet": [["spec"], {}, { nodeName: "" }],
    "no spec": [["spec"], null, { nodeName: "" }],
};
for (const [name, [path, value, difference]] of Object.entries(ACCEPTED)) {
    t.test(name, (t) => {
        const reading = readPod(spoil(fullObject("Pod"), path, value), {});
        t.strictSame(reading, { objects: [{ ...POD, ...difference }], problems: [], passedOver: [] });
        t.end();
    });
}
t.test("an address that cannot be read costs the Pod", (t) => {
    const reading = readPod(spoil(fullObject("Pod"), ["status", "podIPs", 1, "ip"], "fd00::x"), {});
    t.strictSame(reading.objects, []);
    t.strictSame(reading.problems.map(({ message }) => message), ['Pod shop/cart-0: status.podIPs[1].ip: must be an IP address, not "fd00::x"']);
    t.end();
});
