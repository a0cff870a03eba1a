// Reads the exec credential plugin of a kubeconfig.
import { readFile } from "node:fs/promises";
import { InputError } from "../errors.ts";
import type { Access } from "./access.ts";
import {
  type ExecPlugin,
  INTERACTIVE_MODES,
  type InteractiveMode,
  PLUGIN_VERSIONS,
  type PluginVersion,
} from "./exec-plugin.ts";
import { failureWords } from "./file-failure.ts";
import { type ClusterFields, EXEC } from "./kubeconfig-fields.ts";
import { fromKubeconfig } from "./kubeconfig-material.ts";
import { enter, readSection, type Section } from "./section.ts";
import { printServer } from "./server-address.ts";

const CLUSTER_EXTENSION = "client.authentication.k8s.io/exec";

/** The cluster, as its kubeconfig has it and as we understood it. */
export interface KnownCluster {
  readonly fields: ClusterFields;
  readonly access: Omit<Access, "identity">;
}

/** Throws InputError for what client-go refuses as well. */
export async function readExec(raw: unknown, user: Section<unknown>, cluster: KnownCluster): Promise<ExecPlugin> {
  const { value, place } = readSection(raw, enter(user.place, "exec"), EXEC);
  if (value.command === "") throw new InputError(enter(place, "command"), "is missing");
  const nameless = value.env.findIndex(({ name }) => name === "" || name.includes("="));
  if (nameless >= 0) throw new InputError(enter(place, `env[${nameless}].name`), "is no name of a variable");
  const section = { value, place };
  return {
    place,
    apiVersion: readVersion(section),
    command: value.command.includes("/") ? fromKubeconfig(value.command, place) : value.command,
    args: value.args,
    env: Object.fromEntries(value.env.map((each) => [each.name, each.value])),
    installHint: value.installHint,
    interactiveMode: readMode(section),
    ...(value.provideClusterInfo && { cluster: await describeCluster(cluster) }),
  };
}

type Said<K extends string> = Section<Readonly<Record<K, string>>>;

function readVersion({ value, place }: Said<"apiVersion">): PluginVersion {
  const version = PLUGIN_VERSIONS.find((known) => known === value.apiVersion);
  if (version) return version;
  throw new InputError(enter(place, "apiVersion"), `must be ${PLUGIN_VERSIONS.join(" or ")}`);
}

// Only v1beta1 has a default.
function readMode({ value, place }: Said<"apiVersion" | "interactiveMode">): InteractiveMode {
  if (value.interactiveMode === "" && value.apiVersion.endsWith("/v1beta1")) return "IfAvailable";
  const mode = INTERACTIVE_MODES.find((known) => known === value.interactiveMode);
  if (mode) return mode;
  throw new InputError(enter(place, "interactiveMode"), `must be ${INTERACTIVE_MODES.join(" or ")}`);
}

async function describeCluster({ fields, access }: KnownCluster): Promise<Readonly<Record<string, unknown>>> {
  const { authorities, serverName, insecure } = access;
  const config = fields.extensions.find(({ name }) => name === CLUSTER_EXTENSION)?.extension;
  return {
    server: printServer(access.server),
    ...(serverName !== undefined && { "tls-server-name": serverName }),
    ...(insecure && { "insecure-skip-tls-verify": true }),
    ...(authorities && { "certificate-authority-data": await packAuthorities(authorities) }),
    ...(fields["proxy-url"] !== "" && { "proxy-url": fields["proxy-url"] }),
    ...(fields["disable-compression"] && { "disable-compression": true }),
    config: config ?? null,
  };
}

async function packAuthorities(material: NonNullable<Access["authorities"]>): Promise<string> {
  if (material.type === "text") return Buffer.from(material.text, "latin1").toString("base64");
  try {
    return await readFile(material.path, "base64");
  } catch (error) {
    throw new InputError(material.place, `${material.path} cannot be read: ${failureWords(error)}`);
  }
}
