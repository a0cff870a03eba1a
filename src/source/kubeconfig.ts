// Reads the cluster and the user from a kubeconfig.
import { readFile } from "node:fs/promises";
import { quote } from "../api/quote.ts";
import { InputError, type Place } from "../errors.ts";
import type { Access } from "./access.ts";
import { failureWords } from "./file-failure.ts";
import { readCluster } from "./kubeconfig-cluster.ts";
import { CLUSTER, CONTEXT, KUBECONFIG, USER } from "./kubeconfig-fields.ts";
import { readKubeconfigText } from "./kubeconfig-text.ts";
import { readCertificate, readIdentity } from "./kubeconfig-user.ts";
import { enter, readSection } from "./section.ts";

/**
 * Reads the current context of one file; `master`, where it is not empty, goes before the server. As in kube-proxy, the
 * variable KUBECONFIG means nothing. Throws InputError that names the file and field, never a value.
 */
export async function readKubeconfig(path: string, master = ""): Promise<Access> {
  const place = { source: path };
  const { value } = readSection(readKubeconfigText(await readWhole(path), path), place, KUBECONFIG);
  const current = { name: value["current-context"], at: enter(place, "current-context") };
  const context = readSection(...findEntry(value.contexts, "context", current), CONTEXT);
  const names = context.value;
  const wanted = { name: names.cluster, at: enter(context.place, "cluster") };
  const cluster = readSection(...findEntry(value.clusters, "cluster", wanted), CLUSTER);
  const who = { name: names.user, at: enter(context.place, "user") };
  // A context without a user comes as nobody.
  const user = readSection(...(who.name === "" ? nobody(who.at) : findEntry(value.users, "user", who)), USER);
  const access = readCluster(cluster, { master, hasCertificate: readCertificate(user) !== undefined });
  return { ...access, identity: await readIdentity(user, { fields: cluster.value, access }) };
}

interface Reference {
  readonly name: string;
  /** Where it is referred to. */
  readonly at: Place;
}

type Entry<K extends string> = { readonly name: string } & { readonly [field in K]?: unknown };

function findEntry<K extends string>(
  entries: readonly Entry<K>[],
  field: K,
  { name, at }: Reference,
): readonly [unknown, Place] {
  if (name === "") throw new InputError(at, "is missing");
  const index = entries.findIndex((entry) => entry.name === name);
  const place = enter({ ...at, field: "" }, `${field}s[${index}]`);
  if (index < 0) throw new InputError(at, `there is no ${field} ${quote(name)}`);
  const twice = entries.findLastIndex((entry) => entry.name === name) !== index;
  if (twice) throw new InputError(enter(place, "name"), "is there twice");
  return [entries[index]?.[field], enter(place, field)];
}

function nobody(place: Place): readonly [unknown, Place] {
  return [{}, place];
}

async function readWhole(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new InputError({ source: path }, `cannot be read: ${failureWords(error)}`);
  }
}
