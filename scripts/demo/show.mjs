// What is shown, and in which order?
import { endChildren } from "./children.mjs";
import { startDaemon } from "./daemon.mjs";
import { isEven } from "./evenness.mjs";
import { copyManifests, readService, scale } from "./manifests.mjs";
import { makeNode, makePod, NODE, OUTSIDE, removeNetwork } from "./network.mjs";
import { countRules, rulesOf, waitForEndpoints } from "./rules.mjs";
import { bars, drawing, faint, say, title } from "./screen.mjs";
import { connect, serve } from "./traffic.mjs";

const CLIENT = { name: "client", v4: "10.244.0.5", v6: "fd00:244::5" };
const NODE_IP = "192.0.2.10";
const MORE = 3;

/** @typedef {ReturnType<typeof readService>} Service */

/**
 * The demo from begin to end; gives what was not as expected, each as a sentence.
 * @param {string} kind of sandbox
 * @returns {Promise<string[]>}
 */
export async function show(kind) {
  const began = performance.now();
  const folder = copyManifests();
  const service = readService(folder);
  await showNetwork(service, kind);
  const daemon = await showRules(folder, service);
  const surprises = [...(await showConnections(service)), ...(await showNobody())];
  surprises.push(...(await showScaling(folder, daemon)));
  endChildren();
  await removeNetwork();
  title(`Done in ${seconds(performance.now() - began)}; every namespace is removed`);
  return surprises;
}

/**
 * @param {Service} service
 * @param {string} kind
 */
async function showNetwork({ name, clusterIPs, port, pods }, kind) {
  const how = kind === "root" ? "namespaces that end with this demo" : "an ordinary user's own namespaces";
  title(`A cluster of one node, ${NODE}, in ${how}`);
  await makeNode();
  await makePod(CLIENT);
  await startPods(pods, port.targetPort);
  say(
    `  Service    ${name}, port ${port.name}: ${clusterIPs.join(" and ")}, port ${port.port}; nodePort ${port.nodePort}`,
  );
  for (const { name, v4, v6 } of pods) say(`  endpoint   ${name}: ${v4} and ${v6}, port ${port.targetPort}`);
  say(`  client     a pod: ${CLIENT.v4} and ${CLIENT.v6}`);
  say(`  client     outside the cluster: ${OUTSIDE.v4} and ${OUTSIDE.v6}`);
}

/**
 * @param {string} folder
 * @param {Service} service
 */
async function showRules(folder, service) {
  const servicePort = `${service.name}:${service.port.name}`;
  const began = performance.now();
  const daemon = startDaemon(folder);
  const there = await waitForEndpoints({ servicePort, endpoints: service.pods.length, daemon });
  const rules = await countRules();
  title(`fairlead run --manifests …: ${rules} rules in the kernel, ${seconds(there - began)} after its start`);
  say(`  Those of ${servicePort}, IPv4, as iptables prints them, without comments:`);
  for (const rule of await rulesOf(servicePort)) say(faint(`  ${rule}`));
  return daemon;
}

/** @param {Service} service */
async function showConnections(service) {
  const { clusterIPs, port, pods } = service;
  const [v4, v6] = clusterIPs;
  return [
    ...(await showSpread({
      heading: `A pod calls the cluster IP ${v4}: each endpoint has its share and sees the pod`,
      from: CLIENT.name,
      url: `http://${v4}:${port.port}/`,
      count: 300,
      endpoints: pods.map((pod) => pod.v4),
      seen: CLIENT.v4,
    })),
    ...(await showSpread({
      heading: `The same over IPv6, at ${v6}`,
      from: CLIENT.name,
      url: `http://[${v6}]:${port.port}/`,
      count: 200,
      endpoints: pods.map((pod) => pod.v6),
      seen: CLIENT.v6,
    })),
    ...(await showSpread({
      heading: `From outside to the node's port ${port.nodePort}: endpoints see the node, so that answers go back by it`,
      from: OUTSIDE.name,
      url: `http://${NODE_IP}:${port.nodePort}/`,
      count: 200,
      endpoints: pods.map((pod) => pod.v4),
      seen: NODE_IP,
    })),
  ];
}

async function showNobody() {
  title("A pod calls demo/asleep, which nobody serves: refused at once");
  const { failures, made } = await connect(CLIENT.name, { url: "http://10.96.0.90/", count: 5 });
  say(`  ${failures.get("ECONNREFUSED") ?? 0} of ${made} connections refused`);
  return failures.get("ECONNREFUSED") === made ? [] : ["a connection to a Service without endpoints is not refused"];
}

/**
 * The pods are there before the manifest names them, as in a cluster, where an endpoint is ready before it is told of.
 * @param {string} folder
 * @param {import("./daemon.mjs").Daemon} daemon
 */
async function showScaling(folder, daemon) {
  const before = readService(folder).pods.length;
  const { service, write } = scale(folder, MORE);
  const { name, port, pods, clusterIPs } = service;
  title(`The Service is scaled from ${before} to ${pods.length} endpoints in its manifest`);
  await startPods(pods.slice(before), port.targetPort);
  const written = write();
  const there = await waitForEndpoints({ servicePort: `${name}:${port.name}`, endpoints: pods.length, daemon });
  say(`  in the kernel, both families, ${Math.round(there - written)} ms after the file was written`);
  const rules = await rulesOf(`${name}:${port.name}`);
  for (const rule of rules.filter((one) => /^-A KUBE-SVC-.*-j KUBE-SEP-/.test(one))) say(faint(`  ${rule}`));
  return showSpread({
    heading: "The new spread",
    from: CLIENT.name,
    url: `http://${clusterIPs[0]}:${port.port}/`,
    count: 400,
    endpoints: pods.map(({ v4 }) => v4),
    seen: CLIENT.v4,
  });
}

/**
 * @param {import("./network.mjs").Pod[]} pods
 * @param {number} port
 */
async function startPods(pods, port) {
  await Promise.all(pods.map(makePod));
  await Promise.all(pods.map(({ name }) => serve(name, port)));
}

/**
 * Makes connections and draws where they end; gives what was not as expected.
 * @param {{ heading: string, from: string, url: string, count: number, endpoints: string[], seen: string }} what
 */
async function showSpread({ heading, from, url, count, endpoints, seen }) {
  title(heading);
  const { update, finish } = drawing();
  const counts = await connect(from, { url, count }, (soFar) => update(() => bars(endpoints, soFar.endpoints)));
  finish(bars(endpoints, counts.endpoints));
  const clients = [...counts.clients].map(([address, times]) => `${address} (${times} times)`);
  say(`  clients seen by the endpoints: ${clients.join(", ") || "none"}`);
  for (const [failure, times] of counts.failures) say(`  failed: ${failure} (${times} times)`);
  const shares = endpoints.map((endpoint) => counts.endpoints.get(endpoint) ?? 0);
  const expected = [
    { holds: counts.endpoints.size === endpoints.length && isEven(shares), else: `${url} is not spread evenly` },
    { holds: shares.reduce((sum, share) => sum + share, 0) === count, else: `${url} did not answer each of ${count}` },
    { holds: counts.clients.size === 1 && counts.clients.has(seen), else: `${url} was not seen to come from ${seen}` },
  ];
  return expected.filter(({ holds }) => !holds).map((one) => one.else);
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`;
}
