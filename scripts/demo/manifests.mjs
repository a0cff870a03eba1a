// What does the Service look like in its manifest, and how is it scaled there?
import { cpSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";

/** A copy of the demo's manifests, which may be changed. It lives in the private /run and goes with it. */
export function copyManifests() {
  const folder = mkdtempSync("/run/fairlead-demo-");
  cpSync("fixtures/demo", folder, { recursive: true });
  return folder;
}

/**
 * The Service of the manifest and the pods behind it, named by the last part of their addresses.
 * @param {string} folder
 */
export function readService(folder) {
  return serviceOf(documentsOf(folder));
}

/**
 * The Service with endpoints added behind the last ones of each slice; `write` puts that into the manifest, by a new
 * file that takes the old one's place at once, and gives the moment, in milliseconds on the clock of
 * `performance.now()`.
 * @param {string} folder
 * @param {number} more
 */
export function scale(folder, more) {
  const documents = documentsOf(folder);
  for (const slice of documents.slice(1)) addEndpoints(slice, more);
  const write = () => {
    const file = join(folder, "web.yaml");
    writeFileSync(`${file}.new`, documents.map(String).join(""));
    renameSync(`${file}.new`, file);
    return performance.now();
  };
  return { service: serviceOf(documents), write };
}

/** @param {import("yaml").Document[]} documents */
function serviceOf(documents) {
  const [{ metadata, spec }, ...slices] = documents.map((document) => document.toJS());
  const [v4 = [], v6 = []] = slices.map(({ endpoints }) => endpoints.map(firstAddress));
  const pods = v4.map((/** @type {string} */ address, /** @type {number} */ index) => ({
    name: `web-${address.split(".").at(-1)}`,
    v4: address,
    v6: v6[index],
  }));
  return { name: `${metadata.namespace}/${metadata.name}`, clusterIPs: spec.clusterIPs, port: spec.ports[0], pods };
}

/**
 * @param {import("yaml").Document} slice
 * @param {number} more
 */
function addEndpoints(slice, more) {
  const last = slice.toJS().endpoints.at(-1);
  for (let count = 1; count <= more; count += 1) {
    // What counts up is the last part of an address, which reads the same in both families.
    const address = firstAddress(last).replace(/\d+$/, (part) => String(Number(part) + count));
    slice.addIn(["endpoints"], slice.createNode({ ...last, addresses: [address] }));
  }
}

/** @param {{ addresses: string[] }} endpoint */
function firstAddress({ addresses: [address = ""] }) {
  return address;
}

/** @param {string} folder */
function documentsOf(folder) {
  return parseAllDocuments(readFileSync(join(folder, "web.yaml"), "utf8"));
}
