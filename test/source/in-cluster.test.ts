import t from "tap";
import { readInCluster } from "../../src/source/in-cluster.ts";

t.test("a Pod knows its API server by its environment", async (t) => {
  const environment = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "443" };
  const file = (name: string) => ({
    type: "file",
    path: `/var/run/secrets/kubernetes.io/serviceaccount/${name}`,
    place: {},
  });
  t.strictSame(readInCluster({ environment }), {
    server: new URL("https://10.96.0.1:443"),
    authorities: file("ca.crt"),
    insecure: false,
    identity: { authorization: { type: "token", token: file("token") }, impersonation: {} },
  });
  const six = { KUBERNETES_SERVICE_HOST: "fd00:96::1", KUBERNETES_SERVICE_PORT: "6443" };
  t.equal(readInCluster({ environment: six, serviceAccount: "/sa" }).server.host, "[fd00:96::1]:6443");
});

t.test("outside of a Pod there is nothing to go by", async (t) => {
  const message =
    "neither --kubeconfig nor --master is given, and this is no Pod: " +
    "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined";
  t.throws(() => readInCluster({ environment: {} }), { name: "InputError", message });
  t.throws(() => readInCluster({ environment: { KUBERNETES_SERVICE_HOST: "10.96.0.1" } }), { message });
  const wrong = { KUBERNETES_SERVICE_HOST: "10.96.0.1", KUBERNETES_SERVICE_PORT: "https" };
  t.throws(() => readInCluster({ environment: wrong }), { message: "KUBERNETES_SERVICE_HOST: is not a valid URL" });
});
